import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ManagedGateway } from '@sluice/core'
import { expect, onTestFinished } from 'vitest'
import { answeringPlaces } from './runner/answering-places.ts'
import { type Asking, ask } from './runner/ask.ts'
import { describePage } from './runner/describe-page.ts'
import { temporaryFolder } from './runner/temporary-folder.ts'

/** What a snippet does on a signal, which nobody sends to a process that runs tests. */
async function handlerOf(signal: 'SIGHUP' | 'SIGTERM', start: () => Promise<unknown>) {
  const before = process.listeners(signal)
  await start()
  const own = process.listeners(signal).find(listener => !before.includes(listener))!
  onTestFinished(() => void process.off(signal, own))
  return own as () => void
}

describePage('docs/running.md', {
  reload: async ({ run }) => {
    const file = join(temporaryFolder(), 'routes.json')
    const write = (text: string) => writeFileSync(file, text)
    write('{ "demo": ["small"] }')
    const { edit } = answeringPlaces()
    let running: Awaited<ReturnType<typeof run>> | undefined
    const heard = await handlerOf('SIGHUP', async () => {
      running = await run({ ROUTES: file }, edit)
    })
    const { exports, printed } = running!
    const gateway = exports.gateway as ManagedGateway
    onTestFinished(() => gateway.close())
    const asking = (model: string) => ask('http://sluice.test/v1', { model, fetch: gateway.fetch })
    expect(await asking('demo')).toMatchObject({ text: 'small' })
    write('{ "demo": ["large"], "other": ["small"] }')
    heard()
    const changed = await asking('demo')
    expect(changed).toMatchObject({ text: 'large' })
    expect(changed.headers.get('x-ratelimit-remaining-requests')).toBe('58')
    write('{ "demo": [] }')
    heard()
    expect(await asking('demo')).toMatchObject({ text: 'large' })
    expect(printed).toEqual([
      'Serves demo, other',
      expect.stringMatching(/^Goes on as before: .*demo: got an empty list/),
    ])
  },

  workers: async ({ run }) => {
    // A process that runs tests cannot start itself again: `test/e2e/workers` has more workers.
    const { edit } = answeringPlaces()
    const { url, printed } = await run({ WORKERS: '1' }, edit)
    const origin = await url(3000)
    expect(await ask(`${origin}/v1`, { model: 'demo' })).toMatchObject({ status: 200 })
    expect(await (await fetch(`${origin}/metrics`)).text()).toMatch(/^sluice_requests_total\{.*\} 1$/m)
    expect(printed[0]).toMatch(/^1 workers at http/)
  },

  ready: async ({ run }) => {
    let answer = (_: string) => {}
    const waits = new Promise<string>(resolve => {
      answer = resolve
    })
    const places = answeringPlaces()
    places.answers.set('demo', () => waits)
    let running: Awaited<ReturnType<typeof run>> | undefined
    const heard = await handlerOf('SIGTERM', async () => {
      running = await run({}, places.edit)
    })
    const url = await running!.url(3000)
    const ready = async () => (await fetch(`${url}/ready`)).status
    expect(await ready()).toBe(200)
    const answering = ask(`${url}/v1`)
    await expect.poll(() => places.asked).toHaveLength(1)
    heard()
    expect(await ready()).toBe(503)
    expect(await ask(`${url}/v1`)).toMatchObject({ status: 503, code: 'server_is_overloaded' })
    answer('the last word')
    expect(await answering).toMatchObject({ status: 200, text: 'the last word' })
    const refuses = () =>
      ready().then(
        () => false,
        () => true,
      )
    await expect.poll(refuses).toBe(true)
  },

  shed: async ({ run }) => {
    let answer = (_: string) => {}
    const waits = new Promise<string>(resolve => {
      answer = resolve
    })
    const places = answeringPlaces()
    places.answers.set('demo', () => waits)
    const { exports } = await run({}, code => places.edit(code).replace('500', '2'))
    const gateway = exports.gateway as ManagedGateway
    onTestFinished(() => gateway.close())
    const asking = (asking: Asking = {}) => ask('http://sluice.test/v1', { fetch: gateway.fetch, ...asking })
    const answering = [asking(), asking({ stream: true })]
    await expect.poll(() => places.asked).toHaveLength(2)
    const refused = await asking({ key: 'sk-wrong' })
    expect(refused).toMatchObject({ status: 503, code: 'server_is_overloaded' })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    answer('done')
    for (const answered of answering) expect(await answered).toMatchObject({ status: 200, text: 'done' })
    expect(await asking()).toMatchObject({ status: 200 })
  },
})
