// A server in a process of its own, as in subject-process.mjs, which also tells what it holds, after all garbage is gone.
import { getHeapSpaceStatistics } from 'node:v8'

const [name, upstream] = process.argv.slice(2)
const { start } = await import(`../subjects/${name}.mjs`)
const port = await start(upstream)
process.on('message', asked => {
  if (asked === 'cpu') {
    const { user, system } = process.cpuUsage()
    return process.send({ cpuMicros: user + system })
  }
  globalThis.gc()
  // Objects that have finalizers go with the second.
  setImmediate(() => {
    globalThis.gc()
    const { rss, heapUsed, external } = process.memoryUsage()
    const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')
    process.send({ rss, young: young.physical_space_size, live: heapUsed + external })
  })
})
process.on('disconnect', () => process.exit())
process.send({ port, node: process.version })
