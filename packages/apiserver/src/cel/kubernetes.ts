import type { FunctionTable } from './functions.ts';
import { functionTable } from './functions.ts';
import { listLibrary } from './library/lists.ts';
import { formatLibrary } from './library/named-formats.ts';
import { networkLibrary } from './library/network.ts';
import { optionalLibrary } from './library/optionals.ts';
import { quantityLibrary } from './library/quantities.ts';
import { semverLibrary } from './library/semvers.ts';
import { standardLibrary } from './library/standard.ts';
import { stringLibrary } from './library/strings.ts';
import { urlLibrary } from './library/urls.ts';

/** The functions that kube-apiserver v1.35 offers to new expressions (upstream: `pkg/cel/environment/base.go`). */
export const kubernetesFunctions: FunctionTable = functionTable(
  standardLibrary,
  optionalLibrary,
  stringLibrary,
  listLibrary,
  networkLibrary,
  urlLibrary,
  quantityLibrary,
  semverLibrary,
  formatLibrary,
);
