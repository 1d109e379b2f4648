import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Call } from '../../src/contracts/provider.ts'
import { turnsOf } from '../../src/conversation/turns-of.ts'
import { turnsToChat } from '../../src/conversation/turns-to-chat.ts'
import type { ChatRequest } from '../../src/protocol/chat.ts'
import { scripted, serving, whole } from '../support/scripted-gateway.ts'
import { valueAt } from './json-path.ts'
import { type DocumentedLoss, withDocumentedLosses } from './normal-messages.ts'

const root = resolve(import.meta.dirname, '../../../../../shared/fixtures')
const present = existsSync(root)
if (!present) console.warn(`Skipped: the recordings of vendors are not there (${root}).`)

/** The vendors whose requests are no chat completions. */
const others = ['anthropic', 'bedrock', 'gemini', 'vertex']

interface Recorded {
  readonly name: string
  readonly body: ChatRequest
}

function recordedRequests(): Recorded[] {
  if (!present) return []
  return readdirSync(root, { withFileTypes: true })
    .filter(entry => entry.isDirectory() && !others.includes(entry.name))
    .flatMap(({ name: vendor }) =>
      readdirSync(resolve(root, vendor))
        .filter(file => file.endsWith('.request.json'))
        .map(file => ({
          name: `${vendor}/${file}`,
          body: JSON.parse(readFileSync(resolve(root, vendor, file), 'utf8')) as ChatRequest,
        })),
    )
    .filter(({ body }) => Array.isArray(body.messages))
}

/** The calls that a gateway makes for the requests; `undefined` for a request that it rejects. */
async function callsFor(requests: readonly Recorded[]): Promise<(Call | undefined)[]> {
  const calls: Call[] = []
  const provider = scripted(() => whole('Hi'), {
    encode: call => {
      calls.push(call)
      return { method: 'POST', url: 'scripted:', headers: {} }
    },
  })
  const { post } = serving(provider.target)
  const found: (Call | undefined)[] = []
  for (const { body } of requests) {
    const before = calls.length
    await post({ ...body, model: 'm', stream: false })
    found.push(calls[before])
  }
  return found
}

describe.runIf(present)('recorded chat completion requests', () => {
  it('come back from their turns as they were, but for documented losses', async () => {
    const requests = recordedRequests()
    const calls = await callsFor(requests)
    const losses = new Map<DocumentedLoss, number>()
    let tried = 0
    let messages = 0
    for (const [at, call] of calls.entries()) {
      if (call === undefined) continue
      tried++
      const turns = turnsOf(call)
      expect(turns.length).toBe(call.input.messages.length)
      const chat = turnsToChat(turns)
      expect(chat.losses, requests[at]!.name).toEqual([])
      const expected = withDocumentedLosses(call.input.messages, loss =>
        losses.set(loss, (losses.get(loss) ?? 0) + 1),
      )
      expect(chat.messages, requests[at]!.name).toEqual(expected)
      messages += expected.length
    }
    expect(tried).toBeGreaterThanOrEqual(95)
    expect(messages).toBeGreaterThanOrEqual(166)
    expect([...losses.keys()].sort()).toEqual(['absent content', 'one text of an array'])
  })

  it('have turns and parts whose paths name something in the request', async () => {
    const requests = recordedRequests()
    const calls = await callsFor(requests)
    for (const [at, call] of calls.entries()) {
      if (call === undefined) continue
      for (const turn of turnsOf(call)) {
        for (const { path } of [turn, ...turn.parts]) {
          expect(valueAt(requests[at]!.body, path), `${requests[at]!.name}: ${path}`).toBeDefined()
        }
      }
    }
  })
})
