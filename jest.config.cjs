/** Unit tests are next to the sources. System tests in tests/ run the built services. */
const transform = {
  '^.+\\.m?[tj]sx?$': ['@swc/jest', { jsc: { target: 'es2024', parser: { syntax: 'typescript' } } }],
};
const workspace = {
  '^@gateway/proto/(generated/.*|allowed-models)$': '<rootDir>/proto/src/$1',
  '^@gateway/([a-z-]+)$': '<rootDir>/packages/$1/src/index.ts',
  '^@gateway/(call-billing|link)/([a-z-]+)$': '<rootDir>/packages/$1/src/$2.ts',
  // Its exports have no condition for jest.
  '^music-metadata$': '<rootDir>/services/media/node_modules/music-metadata/lib/index.js',
  '^fast-check$': '<rootDir>/tests/seeded-fast-check.cjs',
  // Imported by the name of its ESM file.
  '^zod/v4/locales/en\\.js$': '<rootDir>/tests/node_modules/zod/v4/locales/en.cjs',
};
/** Run only with full counts. */
const heavyFiles =
  process.env.TEST_HEAVY === '1'
    ? []
    : ['/tests/src/engine-failovers', '/tests/src/rollout', '/tests/src/versions'];
/**
 * Not repeated with the other engines: these start engines of their own, or test what no engine affects, such as formats, refusals of
 * malformed requests, failures of providers, and files.
 */
const onceFiles =
  process.env.TEST_AGAIN === '1'
    ? [
        'attacks',
        'bad-input',
        'clients/',
        'conformance/coverage',
        'conformance/hosts',
        'conformance/provider-schemas',
        'conformance/upstream',
        'conformance/v1-bodies',
        'cut-audio-streams',
        'cut-streams',
        'database-failover',
        'files',
        'fuzz/',
        'google-embeddings',
        'journal-in-postgres',
        'membership',
        'pgbouncer',
        'rollout',
        'trust',
        'uploads',
      ].map((name) => `/tests/src/${name}`)
    : [];
const project = (displayName, testMatch) => ({
  displayName,
  testMatch,
  testPathIgnorePatterns: ['/node_modules/', ...heavyFiles, ...onceFiles],
  transform,
  moduleNameMapper: workspace,
  testEnvironment: 'node',
  modulePathIgnorePatterns: ['/dist/'],
  // ESM-only packages are compiled for jest.
  transformIgnorePatterns: [
    '/node_modules/(?!(.*/)?(@ai-sdk|@vercel|@workflow|ai|content-type|http-proxy-middleware|httpxy|is-plain-obj|jose|media-typer|uuid)/)',
  ],
});

module.exports = {
  // Generous, because a test that takes a second on an idle machine may take ten on a busy one. Heavy runs take longer.
  testTimeout: process.env.TEST_HEAVY === '1' ? 600_000 : 20_000,
  testSequencer: '<rootDir>/tests/longest-first.cjs',
  projects: [
    project('unit', [
      '<rootDir>/{proto,packages,services,bench}/**/src/**/*.test.ts',
      '<rootDir>/deploy/local/src/**/*.test.ts',
    ]),
    project('system', ['<rootDir>/tests/**/*.test.ts']),
  ],
};
