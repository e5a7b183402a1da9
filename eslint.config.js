import js from '@eslint/js';
import tseslint from 'typescript-eslint';

const NONDETERMINISM = [
  ...['process', 'Buffer', 'console', 'fetch', 'crypto', 'performance', 'globalThis'],
  ...['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask'],
].map((name) => ({ name, message: 'The domain computes; it touches nothing outside.' }));

/** Files of a layer may not import what matches `refused`; `syntax` lists further things they may not say. */
const layer = (name, refused, message, extra = {}) => ({
  files: [`src/${name}/**/*.ts`],
  rules: { 'no-restricted-imports': ['error', { patterns: [{ regex: refused, message }] }], ...extra },
});

const noDynamicImport = {
  selector: 'ImportExpression',
  message: 'Import statically: the layer rules do not see this.',
};

export default tseslint.config(
  { ignores: ['dist', 'data', 'tests/fixtures', 'tests/output', 'src/client/schema.ts'] },
  js.configs.recommended,
  {
    files: ['**/*.ts', '**/*.cts'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', caughtErrorsIgnorePattern: '^_' },
      ],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/require-await': 'off',
      eqeqeq: 'error',
    },
  },
  {
    files: ['src/**/*.ts'],
    rules: {
      'no-console': 'error',
      'no-restricted-syntax': [
        'error',
        { selector: 'Decorator', message: 'No decorators: the container wires plain classes.' },
      ],
    },
  },
  layer(
    'domain',
    '^(?!\\./)',
    'The domain imports the domain only: no package, no Node module, no other layer.',
    {
      'no-restricted-globals': ['error', ...NONDETERMINISM],
      'no-restricted-syntax': [
        'error',
        noDynamicImport,
        { selector: 'Decorator', message: 'No decorators: the container wires plain classes.' },
        { selector: 'ThrowStatement', message: 'The domain returns refusals.' },
        { selector: "NewExpression[callee.name='Date']", message: 'Time is an argument.' },
        {
          selector: "MemberExpression[object.name='Date'][property.name='now']",
          message: 'Time is an argument.',
        },
        {
          selector: "MemberExpression[object.name='Math'][property.name='random']",
          message: 'Chance is an argument.',
        },
      ],
    },
  ),
  layer(
    'application',
    '^(?!\\.\\.?/)|/(adapters|infrastructure|client)/',
    'The application imports the domain and its own ports.',
    { 'no-restricted-globals': ['error', ...NONDETERMINISM] },
  ),
  layer(
    'adapters',
    '^@?inversify|/infrastructure/|/adapters/|^\\.\\./(?!(\\.\\./)+(application|domain)/|[a-z-]+\\.js$)',
    'An adapter imports no other adapter and is wired from outside.',
  ),
  layer(
    'client',
    '^(?!\\./|openapi-fetch$)',
    'The client runs in browsers: its own files and openapi-fetch, nothing of the server.',
  ),
  {
    files: ['src/infrastructure/**/*.ts'],
    ignores: ['src/infrastructure/container.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        { patterns: [{ regex: '^@?inversify', message: 'Only the container imports inversify.' }] },
      ],
    },
  },
  {
    files: ['tests/**/*.ts'],
    rules: { '@typescript-eslint/no-unused-expressions': 'off' },
  },
  {
    files: ['**/*.{js,cjs,mjs}'],
    languageOptions: {
      globals: Object.fromEntries(
        [
          'console',
          'process',
          'module',
          'require',
          'fetch',
          'performance',
          'setTimeout',
          'clearTimeout',
          'setInterval',
          'clearInterval',
          'Buffer',
          'URL',
        ].map((name) => [name, 'readonly']),
      ),
    },
  },
);
