/** The type at a path of an object, such as `.spec.replicas`; `never` if the object has no such field. */
export type ValueAt<Value, Path extends string> = string extends Path
  ? unknown
  : Path extends ''
    ? Value
    : Path extends `.${infer Rest}`
      ? ValueAtName<Value, NameIn<Rest>>
      : Path extends `[${infer Index}]${infer Rest}`
        ? Index extends `'${infer Name}'` | `"${infer Name}"`
          ? ValueAt<FieldOf<Value, Name>, Rest>
          : ValueAt<ItemOf<Value>, Rest>
        : never;

/** The type at a path that {@link NameIn} has split. */
export type ValueAtName<Value, Split> = Split extends readonly [infer Name extends string, infer Rest extends string]
  ? ValueAt<FieldOf<Value, Name>, Rest>
  : never;

/** Splits a path after its first name. A backslash escapes a dot in a name. */
export type NameIn<Text extends string, Name extends string = ''> = Text extends `${infer First}${infer Rest}`
  ? First extends '.' | '['
    ? [Name, Text]
    : First extends '\\'
      ? Rest extends `${infer Next}${infer More}`
        ? NameIn<More, `${Name}${Next}`>
        : never
      : NameIn<Rest, `${Name}${First}`>
  : [Name, ''];

/** A field of an object, or of the options of a union that have it. */
export type FieldOf<Value, Name extends string> = unknown extends Value
  ? unknown
  : Value extends object
    ? Name extends keyof Value
      ? PresentValue<Value[Name]>
      : string extends keyof Value
        ? PresentValue<Value[string & keyof Value]>
        : never
    : never;

/** An item of an array. */
export type ItemOf<Value> = unknown extends Value
  ? unknown
  : Value extends readonly (infer Item)[]
    ? PresentValue<Item>
    : never;

/** A value without `undefined` and `null`. */
export type PresentValue<Value> = unknown extends Value ? unknown : NonNullable<Value>;

/** `Path`, if it leads to a value of type `Wanted`, and an explanation otherwise, which no path is. */
export type CheckedPath<Value, Path extends string, Wanted = unknown, Name extends string = 'value'> = [
  ValueAt<Value, Path>,
] extends [never]
  ? `the schema has no field ${Path}`
  : unknown extends ValueAt<Value, Path>
    ? Path
    : ValueAt<Value, Path> extends Wanted
      ? Path
      : `${Path} is not a ${Name}`;
