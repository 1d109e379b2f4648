// A server in a process of its own, as it is where it serves, by plain Node and without a loader. It tells its port, and
// what it has used when asked.
const [name, upstream, further] = process.argv.slice(2)
const { start, headersFor } = await import(`./subjects/${name}.mjs`)
const port = await start(upstream, JSON.parse(further))
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send({ cpuMicros: user + system, peakKiB: process.resourceUsage().maxRSS })
})
process.on('disconnect', () => process.exit())
process.send({ port, headers: headersFor?.(upstream) ?? {} })
