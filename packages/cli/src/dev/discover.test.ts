import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { discover, type Lookup, lookups } from './discover.ts'
import { localServerKinds } from './local-server.ts'

/** Serves on a free port until the test ends, and keeps what it was asked. */
async function serving(listener: RequestListener): Promise<{ origin: string; asked: IncomingMessage[] }> {
  const asked: IncomingMessage[] = []
  const server = createServer((request, response) => {
    asked.push(request)
    listener(request, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

function answering(answers: Readonly<Record<string, unknown>>): RequestListener {
  return ({ url = '' }, response) => {
    const answer = Object.hasOwn(answers, url) ? answers[url] : undefined
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' })
    response.end(typeof answer === 'string' ? answer : JSON.stringify(answer))
  }
}

const list = (ids: readonly string[], owned_by = 'library') => ({
  object: 'list',
  data: ids.map(id => ({ id, object: 'model', created: 1, owned_by })),
})

function lookup(name: string, origin: string, timeoutMs = 10_000): Lookup {
  return { kind: localServerKinds.find(kind => kind.name === name)!, origin, timeoutMs }
}

const { signal } = new AbortController()

describe('discover', () => {
  it('finds each kind of server by its own answers, and sends no key', async () => {
    const servers = {
      ollama: { '/api/version': { version: '0.12.0' }, '/v1/models': list(['llama3.3:latest', 'qwen3:8b']) },
      llamacpp: { '/health': { status: 'ok' }, '/v1/models': list(['gemma.gguf'], 'llamacpp') },
      lmstudio: { '/v1/models': list(['qwen3-8b'], 'organization_owner') },
      vllm: { '/v1/models': list(['Qwen/Qwen3-8B'], 'vllm') },
    }
    const started = await Promise.all(Object.values(servers).map(answers => serving(answering(answers))))
    const places = Object.keys(servers).map((name, index) => lookup(name, started[index]!.origin))
    const found = await discover(places, signal)
    expect(found.map(({ name, title, models }) => [name, title, models])).toEqual([
      ['ollama', 'Ollama', ['llama3.3:latest', 'qwen3:8b']],
      ['llamacpp', 'llama.cpp', ['gemma.gguf']],
      ['lmstudio', 'LM Studio', ['qwen3-8b']],
      ['vllm', 'vLLM', ['Qwen/Qwen3-8B']],
    ])
    for (const { headers } of started.flatMap(({ asked }) => asked))
      expect(Object.keys(headers).sort()).toEqual(['accept', 'connection', 'host'])
  })

  it('finds an Ollama without a model', async () => {
    const answers = { '/api/version': { version: '1' }, '/v1/models': { object: 'list', data: null } }
    const { origin } = await serving(answering(answers))
    expect(await discover([lookup('ollama', origin)], signal)).toMatchObject([{ name: 'ollama', models: [] }])
  })

  it.each([
    ['ollama', { '/api/version': 'hello', '/v1/models': list(['x']) }],
    ['ollama', { '/v1/models': list(['x']) }],
    ['llamacpp', { '/v1/models': list(['x']) }],
    ['llamacpp', { '/health': 'OK', '/v1/models': list(['x']) }],
    ['lmstudio', { '/v1/models': '<!doctype html>' }],
    ['lmstudio', { '/v1/models': { object: 'list', data: [{ name: 'x' }] } }],
    ['lmstudio', { '/v1/models': ['x'] }],
    ['vllm', { '/v1/models': list(['x'], 'somebody') }],
  ])('takes what is no %s for none: %o', async (name, answers) => {
    const { origin } = await serving(answering(answers))
    expect(await discover([lookup(name, origin)], signal)).toEqual([])
  })

  it('waits for nobody who hangs, drips, floods, redirects or is not there', async () => {
    const hanging = await serving(() => {})
    const dripping = await serving((_, response) => {
      const drip = setInterval(() => response.write(' '), 10)
      response.on('close', () => clearInterval(drip))
    })
    const flooding = await serving((_, response) => void response.end(`[${'1,'.repeat(2_000_000)}1]`))
    const target = await serving(answering({ '/v1/models': list(['x']) }))
    const redirecting = await serving((_, response) => {
      response.writeHead(302, { location: `${target.origin}/v1/models` }).end()
    })
    const gone = 'http://127.0.0.1:1'
    const start = performance.now()
    const places = [hanging.origin, dripping.origin].map(origin => lookup('lmstudio', origin, 100))
    const others = [flooding.origin, redirecting.origin, gone].map(origin => lookup('lmstudio', origin))
    expect(await discover([...places, ...others], signal)).toEqual([])
    expect(performance.now() - start).toBeLessThan(8_000)
    expect(target.asked).toEqual([])
  })

  it('leaves out names that nobody could ask for, and says how many', async () => {
    const names = ['good', 'good', '../up', 'two words', '\u001b[2J', 'x'.repeat(300)]
    const { origin } = await serving(answering({ '/v1/models': list(names) }))
    expect(await discover([lookup('lmstudio', origin)], signal)).toMatchObject([
      { models: ['good'], unusable: 4 },
    ])
  })

  it('ends when it is told to', async () => {
    const { origin } = await serving(() => {})
    const stopping = new AbortController()
    const found = discover([lookup('lmstudio', origin, 60_000)], stopping.signal)
    stopping.abort()
    expect(await found).toEqual([])
  })
})

describe('lookups', () => {
  it('looks where each server is by default', () => {
    expect(lookups(undefined).list.map(({ origin, timeoutMs }) => [origin, timeoutMs])).toEqual([
      ['http://127.0.0.1:11434', 300],
      ['http://127.0.0.1:8080', 300],
      ['http://127.0.0.1:1234', 300],
      ['http://127.0.0.1:8000', 300],
    ])
  })

  it('follows OLLAMA_HOST on this machine alone', () => {
    expect(lookups(':4000')).toMatchObject({ list: [{ origin: 'http://127.0.0.1:4000' }, {}, {}, {}] })
    const elsewhere = lookups('gpu.example')
    expect(elsewhere.list.map(({ kind }) => kind.name)).not.toContain('ollama')
    expect(elsewhere.fault).toContain('another machine')
  })
})
