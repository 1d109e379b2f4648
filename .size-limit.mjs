// What a user's bundle grows by, for each package, as `pnpm check` holds it. Dependencies are counted, as they are bundled
// too; what a user has anyway (Node, the packages beside) is not. Who raises a bound says why in the commit.

const ours = ['core', 'node', 'providers', 'testing'].map(name => `@sluice/${name}`)

/** A package's ESM entry, compressed as servers send it. */
function entry(name, limit, { conditions, platform = 'node' } = {}) {
  const own = `@sluice/${name.split(',')[0]}`
  return {
    name: `@sluice/${name}`,
    path: `packages/${name.split(',')[0]}/dist/index.js`,
    limit,
    ignore: ours.filter(other => other !== own),
    modifyEsbuildConfig: config => ({ ...config, platform, conditions, logLevel: 'error' }),
  }
}

export default [
  entry('core', '220 kB'),
  entry('core, edge', '84 kB', { conditions: ['workerd'], platform: 'browser' }),
  entry('providers', '70 kB'),
  entry('node', '10.5 kB'),
  entry('express', '1 kB'),
  entry('koa', '1.5 kB'),
  entry('jwt', '11.5 kB'),
  entry('redis', '7.5 kB'),
  entry('sqlite', '15.5 kB'),
  entry('postgres', '8.5 kB'),
]
