#!/usr/bin/env bash
# Replaces the branch gh-pages with the files of a folder, as one commit. It runs git and cp only, because it may write.
# Usage: scripts/site/publish.sh FOLDER
set -euo pipefail
folder=$(realpath "$1")
cd "$(dirname "$0")/../.."
git checkout --orphan gh-pages
git rm -r --force --quiet .
cp -R "$folder/." .
git add --all
git -c user.name=github-actions -c user.email=github-actions@users.noreply.github.com commit --quiet -m "docs: publish the site"
git push --force origin gh-pages
