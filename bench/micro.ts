import { measure } from 'mitata'
import type { Case } from './micro/case.ts'
import { limiterCases } from './micro/limiter.ts'
import { decodeCases, encodeCases } from './micro/providers.ts'
import { requestCases } from './micro/requests.ts'
import { sseCases } from './micro/streams.ts'

// What each step costs by itself, and how that grows with what goes through it. In process, one after the other: under a
// server the same takes more, as caches are cold. Run it with
//   npx -y pnpm bench:micro
// `npx -y pnpm bench:micro encode` measures the groups that have the word in their names.

const [word = ''] = process.argv.slice(2).filter(argument => argument !== '--')
const cases = [...requestCases, ...sseCases, ...encodeCases, ...decodeCases, ...limiterCases]
console.log(`Node ${process.version}; medians`)
for (const group of new Set(cases.map(({ group }) => group))) {
  if (!group.includes(word)) continue
  console.log(`\n${group}`)
  for (const one of cases) if (one.group === group) console.log(await lineOf(one))
}

async function lineOf({ name, bytes, run }: Case): Promise<string> {
  const { p50 } = await measure(run, { min_cpu_time: 2e8 })
  const micros = p50 / 1_000
  const cells = [
    name.padEnd(24),
    `${micros.toFixed(micros < 10 ? 2 : 0)} us`.padStart(10),
    bytes === undefined ? '' : `${(micros / (bytes / 1_000)).toFixed(3)} us/kB`.padStart(14),
  ]
  return `  ${cells.join('')}`
}
