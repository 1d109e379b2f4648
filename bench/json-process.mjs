// What `JSON.parse` and `JSON.stringify` of the text on its input take, in microseconds of CPU; with `parse`: only the former.
import { readFileSync } from 'node:fs'

const text = readFileSync(0, 'utf8')
const seconds = Number(process.argv[2])
const parseOnly = process.argv[3] === 'parse'
during(seconds / 4)
console.log(during(seconds))

function during(seconds) {
  const until = performance.now() + seconds * 1_000
  const before = process.cpuUsage()
  let count = 0
  do {
    const value = JSON.parse(text)
    if (!parseOnly && JSON.stringify(value).length !== text.length) throw new Error('not the same text')
    count++
  } while (performance.now() < until)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / count
}
