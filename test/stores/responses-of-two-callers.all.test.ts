import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { startUpstream, steps } from '@sluice/testing'
import { expect, it, onTestFinished } from 'vitest'
import { bundledProgram } from '../../scripts/bundle-program.mjs'
import { describeWithRedis } from './servers/describe-with-redis.ts'
import { RedisServer } from './servers/redis-server.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test reads what was written
type Loose = any

interface Running {
  readonly process: ChildProcess
  ask(caller: string, path: string, body?: object, method?: string): Promise<{ status: number; json: Loose }>
}

/** Starts a gateway in a process of its own. */
async function startGateway(redis: number, baseURL: string): Promise<Running> {
  const main = await bundledProgram(fileURLToPath(new URL('programs/responses-main.ts', import.meta.url)))
  const line = [main, String(redis), baseURL]
  const child = spawn(process.execPath, line, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [port] = await once(child, 'message')
  return {
    process: child,
    ask: async (caller, path, body, method = body === undefined ? 'GET' : 'POST') => {
      const response = await fetch(`http://127.0.0.1:${port}/v1/responses${path}`, {
        method,
        headers: { authorization: `Bearer key-of-${caller}`, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      return { status: response.status, json: await response.json() }
    },
  }
}

describeWithRedis('responses in a Redis that processes share', () => {
  it('R53 T1 a caller reads those of another in no process, and its own in each, also after a restart', async () => {
    const redis = await RedisServer.start()
    onTestFinished(() => redis.stop())
    const upstream = await startUpstream(steps.answer({ text: 'canary-of-ann' }))
    onTestFinished(() => upstream.close())
    const start = () => startGateway(redis.port, upstream.baseURL)
    const [one, other] = await Promise.all([start(), start()])
    const { json: first } = await one.ask('ann', '', { model: 'm', input: 'Hello' })
    expect(first.store).toBe(true)
    const item = first.output[0].id

    /** What a caller gets for ids, without the ids. */
    const seenBy = async ({ ask }: Running, caller: string, id: string, itemId: string) => {
      const answers = [
        await ask(caller, `/${id}`),
        await ask(caller, `/${id}?stream=true&starting_after=1`),
        await ask(caller, `/${id}/input_items`),
        await ask(caller, `/${id}/cancel`, {}),
        await ask(caller, `/${id}`, undefined, 'DELETE'),
        await ask(caller, '', { model: 'm', input: 'x', previous_response_id: id }),
        await ask(caller, '', { model: 'm', input: [{ type: 'item_reference', id: itemId }] }),
      ]
      return answers.map(({ status, json }) =>
        JSON.stringify([status, json]).replaceAll(id, 'ID').replaceAll(itemId, 'ITEM'),
      )
    }
    const nobodys = [`${first.id.slice(0, -8)}00000000`, `${item.slice(0, -8)}00000000`] as const
    const calls = upstream.requests.length
    const expected = await seenBy(one, 'mallory', ...nobodys)
    expect(expected.every(text => /^\[4\d\d,/.test(text))).toBe(true)
    for (const gateway of [one, other]) {
      expect(await seenBy(gateway, 'mallory', first.id, item)).toEqual(expected)
    }
    expect(upstream.requests).toHaveLength(calls)

    const second = await other.ask('ann', '', { model: 'm', input: 'And?', previous_response_id: first.id })
    expect([second.status, second.json.previous_response_id]).toEqual([200, first.id])
    const ended = [once(one.process, 'exit'), once(other.process, 'exit')]
    one.process.kill('SIGKILL')
    other.process.kill('SIGKILL')
    await Promise.all(ended)
    const restarted = await start()
    expect(await seenBy(restarted, 'mallory', second.json.id, second.json.output[0].id)).toEqual(expected)
    const third = await restarted.ask('ann', '', {
      model: 'm',
      input: 'So?',
      previous_response_id: second.json.id,
    })
    expect(third.status).toBe(200)
    const sent = upstream.requests.at(-1)!.json as Loose
    expect(sent.messages.map(({ role }: Loose) => role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
      'user',
    ])
    expect((await restarted.ask('ann', `/${first.id}`, undefined, 'DELETE')).status).toBe(200)
    expect((await restarted.ask('ann', `/${first.id}`)).json).toMatchObject({
      error: { message: `Response with id '${first.id}' not found.` },
    })
  })
})
