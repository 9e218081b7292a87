import js from '@eslint/js';
import { createNodeResolver, importX } from 'eslint-plugin-import-x';
import tseslint from 'typescript-eslint';
import { importZones } from './scripts/folder-order.mjs';

/** A call such as `this.#log.warn(...)`. */
const LOG_CALL =
  'CallExpression[callee.property.name=/^(debug|info|warn|error)$/]' +
  ':matches([callee.object.name=/^log(ger)?$/], [callee.object.property.name=/^log(ger)?$/])';

export default tseslint.config(
  { ignores: ['**/dist/', '**/node_modules/', 'coverage/', 'site/', '.mcr/', 'scripts/stranger/'] },
  // Tests of the package lint the templates as projects.
  { ignores: ['packages/create/templates/'] },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { project: './tsconfig.json', tsconfigRootDir: import.meta.dirname } },
    rules: {
      // A kind is an interface of the same name as its value.
      '@typescript-eslint/no-empty-object-type': ['error', { allowInterfaces: 'with-single-extends' }],
      // `void` marks a promise that is meant to go on by itself, and a result that is meant to be dropped.
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/no-meaningless-void-operator': 'off',
      // `Promise<Result | void>`: a reconciler that has nothing to say returns nothing.
      '@typescript-eslint/no-invalid-void-type': 'off',
      // The type parameter of a kind ties arguments and result together.
      '@typescript-eslint/no-unnecessary-type-parameters': 'off',
      // An abort signal's reason is passed on unchanged.
      '@typescript-eslint/prefer-promise-reject-errors': 'off',
      '@typescript-eslint/only-throw-error': ['error', { allowThrowingUnknown: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/ban-ts-comment': ['error', { 'ts-expect-error': true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      eqeqeq: 'error',
      'no-restricted-syntax': [
        'error',
        ...['Literal[value=/^[A-Z][a-z]*( |$)/]', 'TemplateLiteral[expressions.length>0]'].map((message) => ({
          selector: `${LOG_CALL} > ${message}`,
          message: 'A log message is a fixed sentence in lower case; data goes into fields.',
        })),
      ],
    },
  },
  {
    // Compiled for browsers.
    files: ['packages/dashboard/src/page/**/*.ts'],
    languageOptions: { parserOptions: { project: './packages/dashboard/src/page/tsconfig.json' } },
  },
  {
    files: ['{packages/*,e2e,bench}/src/**/*.ts'],
    ignores: ['**/*.test.ts', '**/*.fixture.ts', '**/*.test-d.ts'],
    plugins: { 'import-x': importX },
    settings: {
      'import-x/resolver-next': [createNodeResolver({ extensions: ['.ts'] })],
      'import-x/extensions': ['.ts'],
      'import-x/parsers': { '@typescript-eslint/parser': ['.ts'] },
    },
    rules: {
      'import-x/no-restricted-paths': ['error', { basePath: import.meta.dirname, zones: importZones() }],
      'import-x/no-cycle': ['error', { ignoreExternal: true }],
    },
  },
  {
    // Code that must not compile is marked as such, with the reason.
    files: ['**/*.test-d.ts'],
    rules: {
      '@typescript-eslint/ban-ts-comment': ['error', { 'ts-expect-error': { descriptionFormat: '^ -- ' } }],
      // The types are what is tested: an expression that does not compile has none that a rule could judge.
      '@typescript-eslint/no-floating-promises': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
  {
    // Runs in browsers.
    files: ['scripts/site/assets/*.js'],
    languageOptions: {
      globals: {
        document: 'readonly',
        fetch: 'readonly',
        localStorage: 'readonly',
        location: 'readonly',
        navigator: 'readonly',
        Option: 'readonly',
        setTimeout: 'readonly',
      },
    },
  },
  {
    files: ['**/*.mjs'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        fetch: 'readonly',
        setInterval: 'readonly',
        clearInterval: 'readonly',
        AbortSignal: 'readonly',
        URL: 'readonly',
      },
    },
  },
);
