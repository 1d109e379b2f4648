import { cpus } from 'node:os'
import { figuresOf } from './figures.ts'
import { planOf } from './plan.ts'
import { printedFigures } from './print-figures.ts'
import { killChildren } from './process/child.ts'
import { runSoak } from './run-soak.ts'

// Mixed good and faulty traffic through a gateway beside 1,000 live streams, and what it came to. Run it with
//   npx -y pnpm soak 10
// for ten minutes; the default is two.

const plan = planOf(Number(process.argv[2] ?? 2))
process.on('exit', killChildren)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))

const print = (line: string) => void process.stdout.write(`${line}\n`)
print(`Node ${process.version}, ${cpus().length} cores, ${new Date().toISOString()}`)
const result = await runSoak(plan, line => print(`... ${line}`))
const figures = figuresOf(result)
for (const line of printedFigures(figures, result)) print(line)
const missed = figures.filter(({ met }) => met === false)
print(missed.length === 0 ? 'No goal was missed.' : `${missed.length} goals were NOT met.`)
if (missed.length > 0) process.exitCode = 1
