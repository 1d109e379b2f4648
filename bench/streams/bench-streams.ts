import { execSync } from 'node:child_process'
import { measureEvents, measureLengths, measureStreams } from './measure.ts'

// What streams cost: CPU of each event, and memory and delay of many that are live at once. Run it with
//   npx -y pnpm bench:streams
// `COUNTS=1000,5000` says how many, `SECONDS` for how long, `NODE_BIN` by which Node.

const counts = (process.env.COUNTS ?? '1000,5000').split(',').map(Number)
const seconds = Number(process.env.SECONDS ?? 30)
const node = process.env.NODE_BIN
const by = node === undefined ? {} : { node }

const [pipe, sluice] = (await measureEvents(['bare-pipe', 'sluice-node'], { rounds: 15, ...by })) as [
  number,
  number,
]
console.log(`CPU of each event of 8 streams at a time, in microseconds; goal: at most 1.5 x`)
console.log(`  pipe ${pipe.toFixed(2)}, sluice ${sluice.toFixed(2)}: ${(sluice / pipe).toFixed(2)} x`)

const lengths = [1, 100, 1_000]
const lived = await measureLengths(lengths, { count: 200, ...by })
console.log('200 silent streams: memory of each after a collection')
for (const [at, events] of lengths.entries()) console.log(`  after ${events} events: ${kib(lived[at]!)}`)

const descriptors = Number(execSync('ulimit -n', { shell: '/bin/sh' }))
for (const count of counts) {
  console.log(`${count} live streams for ${seconds} s, an event a second on each`)
  if (descriptors < 2 * count + 200) {
    console.log(`  left out: it takes ${2 * count + 200} open files, and \`ulimit -n\` is ${descriptors}`)
    continue
  }
  const { bytesPerStream, liveBytesPerStream, addedMsPerEvent, growthBytesPerStreamPerMinute } =
    await measureStreams({
      count,
      seconds,
      ...by,
    })
  const { p50, p99 } = addedMsPerEvent
  console.log(
    `  memory: ${kib(bytesPerStream)} a stream (${kib(liveBytesPerStream)} after a collection); goal: at most 64 KiB`,
  )
  console.log(`  growth: ${kib(growthBytesPerStreamPerMinute)} a stream and minute; goal: 0`)
  console.log(`  added to an event: p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms`)
}

function kib(bytes: number): string {
  return `${(bytes / 1024).toFixed(1)} KiB`
}
