import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { sendRawRequest, startUpstream, steps, type Upstream } from '@sluice/testing'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { bundledProgram } from '../../../scripts/bundle-program.mjs'

/**
 * What a request may hold, an option, a record of a key, an answer of a vendor, and what code asks values for.
 * Names of headers are not among them: Node itself then takes no such header from a request.
 */
const keys =
  `stream stream_options include_usage model models messages role content name n stop temperature top_p
  max_tokens max_completion_tokens seed user tools tool_choice tool_calls tool_call_id function functions
  function_call response_format logprobs top_logprobs logit_bias metadata store modalities audio reasoning_effort
  refusal parallel_tool_calls service_tier id key hash tags expiresAt disabled pepper authorize limits observe
  transport basePath loadShedder sharedHealth generateId mode dryRun validation unknownParameters requestLimits timeouts maxAttempts now random list targets identified
  mount plainResponses capabilities adjustments code param status kind error errors detail choices index
  delta finish_reason usage prompt_tokens completion_tokens reasoning_content refusalDetails next then toJSON
  retryAfterMs trustProxy writeStallMs body rawBody cause close admit settle source
  principals enforcesPrincipalLimits full entry polluted`.split(/\s+/)
/** Members of a message or of a vendor's chunk: each of those is read too often to be looked through for what is its own. */
const inner =
  'content name tool_calls function_call audio refusal reasoning_content finish_reason error'.split(' ')
const allKinds = ['true', 'number', 'text', 'list', 'object']
/** All keys, or a third of them. */
const sampled = inject('exhaustive') ? keys : keys.filter((_, index) => index % 3 === 0)
/** All kinds of values for a key, or a sample: another kind for each key. */
const kindsOf = (key: string) =>
  inject('exhaustive') ? allKinds : [allKinds[keys.indexOf(key) % allKinds.length]!]
const message = { role: 'user', content: 'Hi' }

/** What is asked each time: of each kind one, sound and not. */
const asked: readonly [string, string, object][] = [
  ['whole', 'good-key', {}],
  ['streamed', 'good-key', { stream: true, stream_options: { include_usage: true } }],
  ['a tool', 'good-key', { tools: [{ type: 'function', function: { name: 'f', parameters: {} } }] }],
  ['unknown key', 'bad-key', {}],
  ['not allowed', 'other-key', {}],
  ['unknown model', 'good-key', { model: 'none' }],
  ['no messages', 'good-key', { messages: undefined }],
  ['wrong type', 'good-key', { temperature: 'hot' }],
]

describe('F92 another library has written to Object.prototype', () => {
  let upstream: Upstream
  let child: ChildProcessWithoutNullStreams
  let clean: string[]

  beforeAll(async () => {
    upstream = await startUpstream(steps.answer())
    const source = fileURLToPath(new URL('./programs/polluted-service.ts', import.meta.url))
    child = spawn(process.execPath, [await bundledProgram(source), upstream.baseURL])
    child.stderr.pipe(process.stderr)
    clean = await behaviour('-', '')
  })
  afterAll(async () => {
    child.stdin.end()
    if (child.exitCode === null) await once(child, 'exit')
    await upstream.close()
  })

  /** All that can be seen of a service: answers by status, headers and body, and what its vendor was asked. */
  async function behaviour(key: string, kind: string): Promise<string[]> {
    child.stdin.write(`${key} ${kind}\n`)
    const [line] = (await once(child.stdout, 'data')) as [Buffer]
    if (!String(line).startsWith('ports')) return [String(line)]
    const ports = String(line).trim().split(' ').slice(1).map(Number)
    const before = upstream.requests.length
    const seen: string[] = []
    for (const port of ports) {
      for (const [name, apiKey, fields] of asked) {
        const got = await sendRawRequest({
          port,
          method: 'POST',
          path: '/v1/chat/completions',
          headers: {
            authorization: `Bearer ${apiKey}`,
            connection: 'close',
            'content-type': 'application/json',
          },
          body: { model: 'm', messages: [message], ...fields },
        })
        const body = got.body.replace(/"(?:id|created)":(?:"[^"]*"|\d+)/g, '')
        seen.push(`${name}: ${got.status} ${got.headers['content-type']} ${body}`)
      }
    }
    const calls = upstream.requests
      .slice(before)
      .map(({ body, headers }) => `${headers.authorization} ${body}`)
    return [...seen, ...calls]
  }

  it('behaves as it should where nobody has', () => {
    const statuses = clean.slice(0, asked.length).map(line => /: (\d+)/.exec(line)?.[1])
    expect(statuses).toEqual(['200', '200', '200', '401', '403', '404', '400', '400'])
    expect(clean).toHaveLength(2 * (asked.length + 3))
  })

  it.each(sampled.filter(key => !inner.includes(key)))('%s: nothing changes', async key => {
    for (const kind of kindsOf(key)) expect(await behaviour(key, kind), kind).toEqual(clean)
  })

  it.each(inner)('%s: nobody is let in who was not', async key => {
    for (const kind of kindsOf(key)) {
      const refusals = (lines: string[]) =>
        lines.filter(line => /^(?:unknown|not allowed|no messages)/.test(line))
      expect(refusals(await behaviour(key, kind)), kind).toEqual(refusals(clean))
    }
  })
})
