#!/usr/bin/env bash
# Puts the versions that were published before, from the branch gh-pages, into the folder site.
set -euo pipefail
cd "$(dirname "$0")/../.."
mkdir -p site
if git ls-remote --exit-code origin refs/heads/gh-pages; then
  git fetch --depth 1 origin gh-pages
  git archive FETCH_HEAD | tar --extract --directory site
fi
