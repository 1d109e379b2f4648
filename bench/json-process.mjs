// What `JSON.parse` and `JSON.stringify` of the text on its input take, in microseconds of CPU.
import { readFileSync } from 'node:fs'

const text = readFileSync(0, 'utf8')
const seconds = Number(process.argv[2])
during(seconds / 4)
console.log(during(seconds))

function during(seconds) {
  const until = performance.now() + seconds * 1_000
  const before = process.cpuUsage()
  let count = 0
  do {
    if (JSON.stringify(JSON.parse(text)).length !== text.length) throw new Error('not the same text')
    count++
  } while (performance.now() < until)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / count
}
