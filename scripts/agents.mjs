import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { root, run } from './run.mjs'

/** Coding agents as they are published. A version of each is fetched from the npm registry once. */
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

/** Fetches the agents that are not there yet. Returns the variables with the paths of their programs, such as `AGENT_CODEX`. */
export function fetchAgents() {
  const env = {}
  for (const agent of agents) {
    const folder = join(cache, `${agent.name}-${agent.version}`)
    if (!existsSync(folder)) fetchAgent(agent, folder)
    env[`AGENT_${agent.name.toUpperCase().replaceAll('-', '_')}`] = join(folder, agent.file)
  }
  return env
}

/** Runs vitest in a network of its own with nothing but loopback: no agent calls home. Linux, root and `unshare`. */
export function runOffline(vitestArguments, env) {
  const vitest = ['vitest', 'run', ...vitestArguments]
  run('unshare', ['--net', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh', ...vitest], { env })
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
