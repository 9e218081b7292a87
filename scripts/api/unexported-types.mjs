import ts from 'typescript';

/** Types of packages that `dist` includes (decision 11). Users import them from those packages. */
const INCLUDED = new Set(['Registry']);
/** Declarations that this repository builds, also when a package finds them through `node_modules`. */
const BUILT = /[\\/]packages[\\/][^\\/]+[\\/]dist[\\/]/u;

/**
 * Returns the types that public signatures or `@throws` tags name and that users cannot import.
 *
 * @param {ts.Program} program
 * @param {readonly string[]} entryPoints declarations of the entry points of a package.
 * @param {readonly string[]} others declarations of the other packages that its users import from.
 * @returns {string[]} `Type (in Symbol)` for each, sorted.
 */
export function unexportedTypes(program, entryPoints, others) {
  const checker = program.getTypeChecker();
  const exported = new Set(entryPoints.flatMap((file) => exportsOf(program, file)));
  const importable = new Set([...exported, ...others.flatMap((file) => exportsOf(program, file))]);
  const found = new Map();
  for (const symbol of exported) {
    for (const declaration of symbol.declarations ?? []) {
      for (const type of typesIn(checker, declaration)) {
        if (!importable.has(type) && isBuilt(type) && !INCLUDED.has(type.name))
          found.set(type, `${type.name} (in ${symbol.name})`);
      }
    }
  }
  return [...found.values()].sort();
}

/** Returns what a module exports; for a name that it exports from elsewhere, the original. */
export function exportsOf(program, file) {
  const checker = program.getTypeChecker();
  const module = checker.getSymbolAtLocation(program.getSourceFile(file));
  return module ? checker.getExportsOfModule(module).map((symbol) => original(checker, symbol)) : [];
}

function* typesIn(checker, node) {
  if (isPrivate(node)) return;
  yield* namesIn(node).map((name) => original(checker, checker.getSymbolAtLocation(name)));
  const types = ts.getJSDocTags(node).flatMap((tag) => (ts.isJSDocThrowsTag(tag) && tag.typeExpression?.type) || []);
  ts.forEachChild(node, (child) => void types.push(child));
  for (const child of types) yield* typesIn(checker, child);
}

function isPrivate(node) {
  return ts.canHaveModifiers(node) && ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword);
}

/** The names in a reference to a type, or to a value whose type is used: `a` and `b` of `a.b`. */
function namesIn(node) {
  if (ts.isTypeReferenceNode(node)) return identifiersOf(node.typeName);
  if (ts.isExpressionWithTypeArguments(node)) return identifiersOf(node.expression);
  if (ts.isTypeQueryNode(node)) return identifiersOf(node.exprName);
  return [];
}

function identifiersOf(name) {
  if (ts.isIdentifier(name)) return [name];
  if (ts.isQualifiedName(name)) return [...identifiersOf(name.left), name.right];
  return ts.isPropertyAccessExpression(name) ? [...identifiersOf(name.expression), name.name] : [];
}

function original(checker, symbol) {
  return symbol && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

/** Whether a symbol is declared at the top level of a file that this repository builds. */
function isBuilt(symbol) {
  return symbol?.declarations?.some((declaration) => {
    const statement = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
    return statement.parent && ts.isSourceFile(statement.parent) && BUILT.test(statement.parent.fileName);
  });
}
