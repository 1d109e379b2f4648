// Runs coding agents as they are published against a gateway over scripted vendors: `pnpm test:agents`. They get a network of
// their own with nothing but loopback, so it needs Linux, root and `unshare`. The agent is fetched from the npm registry once.
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { root, run } from './run.mjs'

const agents = [
  { name: 'claude-code', package: '@anthropic-ai/claude-code-linux-x64', version: '2.1.330', file: 'claude' },
  {
    name: 'codex',
    package: '@openai/codex',
    version: '0.169.0-linux-x64',
    file: 'vendor/x86_64-unknown-linux-musl/bin/codex',
  },
]

const cache = join(root, 'node_modules', '.cache', 'agents')
const env = {}
for (const agent of agents) {
  const folder = join(cache, `${agent.name}-${agent.version}`)
  if (!existsSync(folder)) fetchAgent(agent, folder)
  env[`AGENT_${agent.name.toUpperCase().replaceAll('-', '_')}`] = join(folder, agent.file)
}
const shown = process.argv.slice(2)
const vitest = ['vitest', 'run', '--mode=agents', '--project=shared', ...shown]
try {
  run('unshare', ['--net', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh', ...vitest], { env })
} catch {
  // What failed has been printed.
  process.exitCode = 1
}

function fetchAgent(agent, folder) {
  const partial = `${folder}.partial`
  rmSync(partial, { recursive: true, force: true })
  mkdirSync(partial, { recursive: true })
  const packed = run('npm', ['pack', '--silent', `${agent.package}@${agent.version}`], {
    cwd: partial,
    quiet: true,
  })
  run('tar', ['-xzf', packed.trim(), '--strip-components=1'], { cwd: partial })
  rmSync(join(partial, packed.trim()))
  renameSync(partial, folder)
}
