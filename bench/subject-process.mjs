// A server in a process of its own, as it is where it serves, by plain Node and without a loader. It tells its port, and
// what it has used when asked. Between two messages `profile` it is profiled; the second one is answered with what it did.
import { Session } from 'node:inspector/promises'

const [name, upstream, further] = process.argv.slice(2)
const { start, headersFor } = await import(`./subjects/${name}.mjs`)
const port = await start(upstream, JSON.parse(further))

let session
async function profile() {
  if (session === undefined) {
    session = new Session()
    session.connect()
    await session.post('Profiler.enable')
    await session.post('Profiler.setSamplingInterval', { interval: 250 })
    await session.post('Profiler.start')
    return {}
  }
  const { profile } = await session.post('Profiler.stop')
  session.disconnect()
  session = undefined
  return profile
}

process.on('message', async message => {
  if (message === 'profile') return process.send(await profile())
  const { user, system } = process.cpuUsage()
  process.send({ cpuMicros: user + system, peakKiB: process.resourceUsage().maxRSS })
})
process.on('disconnect', () => process.exit())
process.send({ port, headers: headersFor?.(upstream) ?? {} })
