// Runs coding agents as they are published against a gateway over scripted vendors: `pnpm test:agents`. They get a network of
// their own with nothing but loopback, so it needs Linux, root and `unshare`. The agent is fetched from the npm registry once.
import { fetchAgents, runOffline } from './agents.mjs'

const env = fetchAgents()
try {
  runOffline(['--mode=agents', '--project=shared', ...process.argv.slice(2)], env)
} catch {
  // What failed has been printed.
  process.exitCode = 1
}
