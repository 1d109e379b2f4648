import { ask, subjects } from './limited-gateways.ts'

// One gateway in a process of its own, as it is where it serves: the engine makes its code for what it sees. It is told how
// many requests to make, and tells the CPU time of one, in microseconds.

const made = subjects[process.argv[2] ?? '']
if (made === undefined)
  throw new Error(`subject: got ${process.argv[2]}, expected ${Object.keys(subjects).join(', ')}.`)
const gateway = made()
process.on('message', async (count: number) => {
  const before = process.cpuUsage()
  for (let at = 0; at < count; at++) await ask(gateway)
  const { user, system } = process.cpuUsage(before)
  process.send?.((user + system) / count)
})
process.on('disconnect', () => process.exit())
