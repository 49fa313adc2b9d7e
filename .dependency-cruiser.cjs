/** The allowed directions of imports. CONTRIBUTING.md, "Where things are", describes the layers. */
const service = '^services/([^/]+)/src';
const drivers =
  'node_modules/(pg|redis|kafkajs|express|undici|@grpc/grpc-js|@fastify|http-proxy-middleware|pino|prom-client)/|^(http|https|http2|tls|fs|fs/promises|child_process|worker_threads)$';
const adapters = 'store|clients|providers|formats|journal|upload|redis|kafka';
/** Pure rules: those that the features of a service share, and those of one feature. */
const rules = '(?:domain|[^/]+/rules)';

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'services-stand-alone',
      comment: 'A service reaches another by the contract in proto/, never by an import.',
      severity: 'error',
      from: { path: '^services/([^/]+)/' },
      to: { path: '^services/', pathNot: '^services/$1/' },
    },
    {
      name: 'packages-know-no-service',
      severity: 'error',
      from: { path: '^(packages|proto)/' },
      to: { path: '^(services|deploy|tools|tests|bench)/' },
    },
    {
      name: 'packages-one-way',
      severity: 'error',
      scope: 'folder',
      from: { path: '^packages/[^/]+/src$' },
      to: { circular: true },
    },
    {
      name: 'contract-depends-on-nothing',
      severity: 'error',
      from: { path: '^proto/' },
      to: { path: '^(packages|services|deploy|tools|tests|bench)/' },
    },
    {
      name: 'nothing-imports-deploy',
      severity: 'error',
      from: { pathNot: '^deploy/' },
      to: { path: '^deploy/', pathNot: '^deploy/local/bootstrap\\.mjs$' },
    },
    {
      name: 'services-ship-without-test-code',
      comment: 'Only tests may start engines and stacks.',
      severity: 'error',
      from: {
        path: '^(services|packages)/',
        pathNot: '(\\.test\\.ts$|/testing/|\\.fixture\\.ts$|^packages/(local-stack|testing)/)',
      },
      to: { path: '^(packages/(local-stack|testing)|tools|tests|bench)/' },
    },
    {
      name: 'domain-is-pure',
      comment:
        'Rules depend on no HTTP, SQL, gRPC or provider: within its service a rule imports only rules.',
      severity: 'error',
      from: { path: `${service}/${rules}/`, pathNot: '\\.test\\.ts$' },
      to: { path: service, pathNot: `^services/$1/src/${rules}/` },
    },
    {
      name: 'domain-uses-no-drivers',
      comment: 'Neither directly nor through another module or package.',
      severity: 'error',
      from: { path: `${service}/${rules}/`, pathNot: '\\.test\\.ts$' },
      to: { path: drivers, reachable: true },
    },
    {
      name: 'adapters-stay-apart',
      comment:
        'store, clients, providers, formats, journal, upload, redis and kafka import rules and never each other.',
      severity: 'error',
      from: { path: `${service}/[^/]*/?(${adapters})/`, pathNot: '\\.test\\.ts$' },
      to: {
        path: `${service}/[^/]*/?(${adapters}|app|rpc|routes)/`,
        pathNot: '^services/$1/src/[^/]*/?$2/',
      },
    },
    {
      name: 'handlers-on-top',
      comment: 'rpc/ holds the handlers; only server.ts and the files that register them import them.',
      severity: 'error',
      from: {
        path: `${service}/`,
        pathNot: `(${service}/(rpc|testing)/|/(server|open-images|open-videos)\\.ts$|\\.test\\.ts$)`,
      },
      to: { path: `${service}/rpc/` },
    },
    {
      name: 'web-pages-stand-apart',
      comment: 'Code that two pages share belongs in ui/ or api/.',
      severity: 'error',
      from: { path: '^services/dashboard/web/src/pages/([^/]+)/' },
      to: { path: '^services/dashboard/web/src/(pages|app)/', pathNot: '/src/pages/$1/' },
    },
    {
      name: 'web-parts-know-no-page',
      severity: 'error',
      from: { path: '^services/dashboard/web/src/(api|ui)/' },
      to: { path: '^services/dashboard/web/src/(app|pages)/' },
    },
    {
      name: 'web-api-draws-nothing',
      severity: 'error',
      from: { path: '^services/dashboard/web/src/api/' },
      to: { path: '^services/dashboard/web/src/ui/' },
    },
    {
      name: 'web-stands-apart',
      comment:
        'Browser code and server code share only the types of the API and the rules of allowlists and prices, which need nothing of Node.',
      severity: 'error',
      from: { path: '^services/dashboard/web/', pathNot: '\\.test\\.ts$' },
      to: {
        path: '^(services|packages|proto|deploy|tools|tests|bench)/',
        pathNot: '^(services/dashboard/(web|src/api)/|packages/pricing/|proto/src/allowed-models\\.ts$)',
      },
    },
    {
      name: 'web-bundles-no-server-code',
      comment: 'Schemas of the API are imported as types.',
      severity: 'error',
      from: { path: '^services/dashboard/web/' },
      to: { path: '^services/dashboard/src/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'prices-run-in-browsers',
      severity: 'error',
      from: { path: '^packages/pricing/', pathNot: '\\.test\\.ts$' },
      to: { path: '^(?!packages/pricing/)', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'nothing-imports-the-web-ui',
      severity: 'error',
      from: { pathNot: '^services/dashboard/web/' },
      to: { path: '^services/dashboard/web/' },
    },
    {
      name: 'only-main-starts',
      severity: 'error',
      from: { pathNot: '/main\\.ts$' },
      to: { path: '/main\\.ts$' },
    },
    {
      name: 'not-to-dev-dep',
      severity: 'error',
      from: { path: `${service}`, pathNot: '(\\.test\\.ts$|/testing/|\\.fixture\\.ts$)' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
  ],
  options: {
    parser: 'swc',
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(/dist/|/generated/)' },
    webpackConfig: { fileName: '.dependency-cruiser.resolve.cjs' },
  },
};
