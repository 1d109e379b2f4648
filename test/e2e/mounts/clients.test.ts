import { connectRawClient, sendRawRequest } from '@sluice/testing'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Mounted } from './mounts.ts'
import { mountsOfRun } from './mounts-of-run.ts'
import { complete, contentOf, on, rawAsk, saying } from './test-gateway.ts'
import type { SeenCall } from './test-model.ts'

/** A raw client that has asked for something. */
async function asking({ baseURL, port }: Mounted, body: string, paused = false) {
  const client = await connectRawClient({ port, paused })
  onTestFinished(() => client.close())
  await client.send(rawAsk(new URL(baseURL).pathname, body))
  return client
}

/** How many milliseconds until the upstream call is aborted; fails after 500. */
async function abortOf({ signal }: SeenCall): Promise<number> {
  const start = performance.now()
  await vi.waitUntil(() => signal.aborted, { timeout: 500, interval: 1 })
  return performance.now() - start
}

/**
 * Waits until nothing more of an upstream is read, however often the event loop comes round: all of this is one process.
 * Fails when that is more than the kernel's buffers of one connection hold, and a little.
 */
async function standing(call: SeenCall): Promise<void> {
  for (let [before, turns] = [call.bytes, 0]; turns < 200; turns++) {
    await new Promise(resolve => setImmediate(resolve))
    if (call.bytes !== before) [before, turns] = [call.bytes, 0]
    expect(call.bytes).toBeLessThan(16 * 1024 * 1024)
  }
}

const streamed = { stream: true }

describe.each(mountsOfRun)('%s', (_, mount) => {
  it('answers, whole and streamed, and lists its models', async () => {
    const { baseURL } = await on(mount)
    expect(await contentOf(await complete(baseURL))).toBe('hello there')
    expect(await contentOf(await complete(baseURL, saying('hello there', streamed)))).toBe('hello there')
    const headers = { authorization: 'Bearer test-key' }
    for (const path of ['/models', '/models/m', '/models?x=1']) {
      expect((await fetch(baseURL + path, { headers })).status).toBe(200)
    }
    expect((await fetch(`${baseURL}/models`)).status).toBe(401)
    expect((await fetch(`${baseURL}/nothing`, { headers })).status).toBe(404)
  })

  it('answers HEAD with the head alone', async () => {
    const { baseURL, port } = await on(mount)
    const path = `${new URL(baseURL).pathname}/models`
    const headers = { Authorization: 'Bearer test-key' }
    const client = await connectRawClient({ port })
    onTestFinished(() => client.close())
    const head = (method: string) =>
      `${method} ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: ${headers.Authorization}\r\n\r\n`
    await client.send(head('HEAD') + head('GET'))
    expect(await client.response('HEAD')).toMatchObject({ status: 200, body: '' })
    expect((await client.response())?.json).toMatchObject({ object: 'list' })
  })

  describe('E13 a client that leaves ends the upstream call', () => {
    it.each([
      ['before the head', 'no head', streamed],
      ['before the head of a whole answer', 'no head', {}],
      ['before the first token', 'no first token', streamed],
      ['while a whole answer is made', 'no second token', {}],
    ])('%s', async (_, behaviour, how) => {
      const { model, events, ...at } = await on(mount)
      const client = await asking(at, saying(behaviour, how))
      const call = await model.waitForCall()
      client.reset()
      expect(await abortOf(call)).toBeLessThan(500)
      await expect.poll(() => events.some(event => event.type === 'end')).toBe(true)
      expect(events.at(-1)).toMatchObject({ type: 'end', outcome: 'client_disconnected' })
    })

    it.each(['reset', 'halfClose'] as const)('in the middle of a stream (%s)', async how => {
      const { model, events, ...at } = await on(mount)
      const client = await asking(at, saying('no second token', streamed))
      await client.waitFor('"no "')
      client[how]()
      expect(await abortOf(await model.waitForCall())).toBeLessThan(500)
      await expect.poll(() => events.some(event => event.type === 'end')).toBe(true)
      expect(events.at(-1)).toMatchObject({ type: 'end', outcome: 'client_disconnected' })
    })
  })

  it('stops reading the upstream when its client does not read', async () => {
    const { model, ...at } = await on(mount)
    const client = await asking(at, saying('flood', streamed), true)
    const call = await model.waitForCall()
    await standing(call)
    client.resume()
    const stood = call.bytes
    await vi.waitUntil(() => call.bytes > stood + 1024 * 1024, { timeout: 5_000 })
    client.reset()
    await abortOf(call)
  })

  it.each([
    ['two Authorization headers', 'Authorization: Bearer a\r\nAuthorization: Bearer test-key\r\n'],
    ['two Host headers', 'Host: elsewhere\r\n'],
  ])('F6, F7: refuses %s', async (_, headers) => {
    const { baseURL, port, model } = await on(mount)
    const text = `POST ${new URL(baseURL).pathname}/chat/completions HTTP/1.1\r\nHost: a\r\n${headers}Content-Length: 0\r\n\r\n`
    const answer = await sendRawRequest({ port, text })
    expect(answer.status).toBe(400)
    expect(answer.json).toMatchObject({ error: { type: 'invalid_request_error', param: null, code: null } })
    expect(answer.headers['x-request-id']).toMatch(/^req_/)
    expect(model.calls).toHaveLength(0)
  })

  it('F7: refuses a Host that is none', async () => {
    const { baseURL, port } = await on(mount)
    const path = `${new URL(baseURL).pathname}/models`
    for (const host of ['a/b', 'a b', '[', 'a@b/']) {
      const { status } = await sendRawRequest({ port, text: `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n` })
      expect([host, status]).toEqual([host, 400])
    }
  })

  it('F7: takes only the path of a target that names a host', async () => {
    const seen: string[] = []
    const { baseURL, port } = await on(mount, {
      authenticate: request => {
        seen.push(request.url)
        return { id: 'anyone' }
      },
    })
    const path = `${new URL(baseURL).pathname}/models`
    const get = (target: string) =>
      sendRawRequest({ port, text: `GET ${target} HTTP/1.1\r\nHost: here.example\r\n\r\n` })
    expect((await get(`http://evil.example${path}`)).status).toBe(200)
    expect(seen).toEqual([`http://here.example${path}`])
    for (const target of [`//evil.example${path}`, `${path.replace('/', '/%00')}`]) {
      expect([target, (await get(target)).status]).toEqual([target, 404])
    }
    // No path of the gateway's: where a host stands before it, that host's 404.
    expect([400, 404]).toContain((await get(`/\\evil.example${path}`)).status)
    expect(seen).toHaveLength(1)
  })

  it('F37: keeps requests apart after an early answer', async () => {
    const { baseURL, port } = await on(mount, { requestLimits: { maxBytes: 1_000 } })
    const path = `${new URL(baseURL).pathname}/chat/completions`
    const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer test-key\r\nContent-Type: application/json\r\n`
    const smuggled = `GET ${path.replace('chat/completions', 'models')} HTTP/1.1\r\nHost: a\r\n\r\n`
    const client = await connectRawClient({ port })
    onTestFinished(() => client.close())
    await client.send(`${head}Content-Length: 5000000\r\n\r\n${smuggled}`)
    const answer = await client.response()
    expect(answer).toMatchObject({ status: 413, complete: true })
    expect(answer?.headers.connection).toBe('close')
    await client.send(smuggled)
    client.halfClose()
    await client.waitForEnd()
    expect(
      Buffer.from(client.received)
        .toString()
        .match(/HTTP\/1\.1 \d/g),
    ).toHaveLength(1)
  })

  it('F12: tells 413 to a client that sends all of a body before it reads', async () => {
    const { baseURL, port } = await on(mount, { requestLimits: { maxBytes: 1_000 } })
    const path = `${new URL(baseURL).pathname}/chat/completions`
    const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer test-key\r\nContent-Type: application/json\r\n`
    const size = 8_000_000
    const client = await connectRawClient({ port, paused: true })
    onTestFinished(() => client.close())
    await client.send(`${head}Transfer-Encoding: chunked\r\n\r\n${size.toString(16)}\r\n`)
    await client.send(Buffer.alloc(size, 'x'))
    await client.send('\r\n0\r\n\r\n')
    client.resume()
    expect(await client.response()).toMatchObject({ status: 413, complete: true })
  })

  it('F32: survives clients that leave at any moment', async () => {
    const { baseURL, port } = await on(mount)
    const text = rawAsk(new URL(baseURL).pathname, saying('one two three four', streamed))
    await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        const client = await connectRawClient({ port })
        await client.send(text.slice(0, Math.ceil((text.length * (index + 1)) / 40)))
        if (index % 2 === 0) await new Promise(resolve => setTimeout(resolve, index / 4))
        client.reset()
        await client.close()
      }),
    )
    expect(await contentOf(await complete(baseURL))).toBe('hello there')
  })
})
