/** A part of a zod schema that a CustomResourceDefinition cannot express. */
export class SchemaError extends TypeError {
  override readonly name = 'SchemaError';
  readonly path: string;
  readonly remedy: string;

  /**
   * @param subject names the kind in the message, such as `kind Backup`.
   * @param path path of the field, such as `spec.replicas`. `[]` are the items of a list, `{}` the values of a map.
   * @param problem the part that the server has no equivalent for.
   * @param remedy the schema to write instead.
   */
  constructor(subject: string, path: string, problem: string, remedy: string) {
    super(`${subject}: ${path}: ${problem}: ${remedy}`);
    this.path = path;
    this.remedy = remedy;
  }
}
