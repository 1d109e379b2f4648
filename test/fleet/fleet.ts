import { postgresFailover, redisFailover, redisSwitchover } from './scenarios/failovers.ts'
import { clockSkew, crash, vanishedHost } from './scenarios/hosts.ts'
import { baseline, latency, loss } from './scenarios/links.ts'
import { postgresPartition, redisPartition } from './scenarios/partitions.ts'
import { runScenario, type Scenario, type ScenarioResult, warmUp } from './scenarios/scenario.ts'
import { Fleet } from './servers/fleet.ts'

// Runs the scenarios on a fleet of its own. Started by scripts/test-fleet.mjs, in namespaces of its own.

/** In this order: after a failover there is no second replica. */
const scenarios: readonly Scenario[] = [
  baseline,
  loss,
  latency,
  redisPartition,
  postgresPartition,
  crash,
  vanishedHost,
  clockSkew,
  redisSwitchover,
  redisFailover,
  postgresFailover,
]

const [folder = '', ...names] = process.argv.slice(2)
const unknown = names.filter(name => !scenarios.some(scenario => scenario.name === name))
if (unknown.length > 0) {
  console.error(
    `There is no scenario ${unknown.join(', ')}: ${scenarios.map(({ name }) => name).join(', ')}.`,
  )
  process.exit(1)
}
process.stdin.once('end', () => process.exit(1)).resume()
const seed = Number(process.env.FLEET_SEED ?? 1)
const chosen = scenarios.filter(({ name }) => names.length === 0 || names.includes(name))
const began = performance.now()
const fleet = await Fleet.start(folder, seed, line => console.log(`started after ${elapsed()}: ${line}`))
await warmUp(fleet)
const failed: string[] = []
for (const scenario of chosen) {
  const result = await runScenario(fleet, scenario)
  print(result)
  if (result.differences.length > 0) failed.push(result.name)
}
await fleet.close()
console.log(
  `\n${chosen.length - failed.length} scenarios passed, ${failed.length} failed${failed.length > 0 ? `: ${failed.join(', ')}` : ''}; ${elapsed()}, seed ${seed}`,
)
process.exit(failed.length === 0 ? 0 : 1)

function print({ name, title, seconds, figures, differences }: ScenarioResult): void {
  console.log(`\n${differences.length === 0 ? '✓' : '✗'} ${name}: ${title} (${seconds.toFixed(0)} s)`)
  for (const figure of figures) console.log(`    ${figure}`)
  const most = 25
  for (const difference of differences.slice(0, most)) console.log(`  ! ${difference}`)
  if (differences.length > most) console.log(`  ! and ${differences.length - most} more`)
}

function elapsed(): string {
  return `${((performance.now() - began) / 1_000).toFixed(0)} s`
}
