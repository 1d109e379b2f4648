import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

/** Uses everything, closes it, and must then end by itself: an open socket or timer would keep it alive. */
const program = `
  import { startFaultProxy, connectRawClient, requestBytes, startUpstream, steps } from ${JSON.stringify(new URL('./index.ts', import.meta.url).href)}
  const upstream = await startUpstream(steps.hang(), steps.flood(), [steps.stream(['data: 1\\n\\n']), steps.wait(60_000)])
  const proxy = await startFaultProxy({ target: upstream })
  const clients = []
  for (let n = 1; n <= 4; n++) {
    const client = await connectRawClient({ port: proxy.port, paused: n === 2 })
    await client.send(requestBytes({ body: {} }))
    await upstream.waitForRequest(n)
    clients.push(client)
  }
  const unmet = [upstream.waitForRequest(9, 60_000), upstream.waitForClose(1, 60_000), clients[0].waitFor(1, 60_000)]
  proxy.set({ freeze: true, delay: 60_000 })
  await new Promise(resolve => setTimeout(resolve, 50))
  await upstream.close()
  await proxy.close()
  for (const client of clients) await client.close()
  const settled = await Promise.allSettled(unmet)
  console.log(settled.map(one => one.status).join())
`

test('a process ends by itself once all is closed', async () => {
  const root = fileURLToPath(new URL('../../..', import.meta.url))
  const args = ['-C', '@sluice/source', '--import', 'tsx', '--input-type=module', '--eval', program]
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  let errors = ''
  child.stdout.on('data', text => {
    output += text
  })
  child.stderr.on('data', text => {
    errors += text
  })
  const timer = setTimeout(() => child.kill('SIGKILL'), 15_000)
  const end = await new Promise(resolve => child.once('close', (code, signal) => resolve([code, signal])))
  clearTimeout(timer)
  expect(errors).toBe('')
  expect(end).toEqual([0, null])
  expect(output.trim()).toBe('rejected,rejected,rejected')
})
