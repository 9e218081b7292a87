/** Names of the fields that are 64-bit integers in a Go type of the Kubernetes API. All others are 32-bit integers. */
const INT64: ReadonlySet<string> = new Set(
  `activeDeadlineSeconds capacity count deletionGracePeriodSeconds expirationSeconds fsGroup generation gid
   gracePeriodSeconds int limit limitBytes maxItems maxLength maxProperties minItems minLength minProperties
   nodeAllocatableUpdatePeriodSeconds observedGeneration remainingItemCount resourceSliceCount revision runAsGroup
   runAsUser seconds sinceSeconds sizeBytes startingDeadlineSeconds supplementalGroups tailLines
   terminationGracePeriodSeconds timeoutSeconds tolerationSeconds uid`.split(/\s+/u),
);

const LIMIT = 2 ** 31;

/** Returns the Go type of an integer field. @param path for example `.spec.replicas`. */
export function integerType(path: string): 'int32' | 'int64' {
  if (/Probe\.timeoutSeconds$/u.test(path)) return 'int32';
  return INT64.has(path.slice(path.lastIndexOf('.') + 1)) ? 'int64' : 'int32';
}

/** Reports whether an integer does not fit into the Go type of a field. @param path for example `.spec.replicas`. */
export function isOutOfRange(path: string, integer: number): boolean {
  const isInt32 = integer >= -LIMIT && integer < LIMIT;
  return !isInt32 && integerType(path) === 'int32';
}
