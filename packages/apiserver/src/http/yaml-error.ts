/** A text is not YAML. Messages follow `sigs.k8s.io/yaml`. */
export class YamlError extends Error {
  override readonly name = 'YamlError';

  /** Returns the error for a text that cannot be converted to JSON. */
  static unconverted(why: string): YamlError {
    return new YamlError(`error converting YAML to JSON: yaml: ${why}`);
  }
}
