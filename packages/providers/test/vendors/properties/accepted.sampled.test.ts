import { GatewayError } from '@sluice/core'
import type { ChatRequest } from '@sluice/core/provider'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkMessages } from '../stand-ins/anthropic.ts'
import { checkConverse } from '../stand-ins/bedrock.ts'
import { Fault } from '../stand-ins/fault.ts'
import { checkGenerate } from '../stand-ins/gemini.ts'
import { checkResponsesRequest } from '../stand-ins/openai/responses-request.ts'
import { checkVertexGenerate, checkVertexMessages } from '../stand-ins/vertex.ts'
import { bodyOf } from './read-vendors.ts'
import { readingOfRequest } from './reading-of-request.ts'
import { requestBody } from './request-arbitrary.ts'
import { runs } from './runs.ts'
import { validated } from './validated.ts'
import { vendorModels } from './vendors.ts'

const checks: Readonly<Record<string, (body: unknown, model: string) => void>> = {
  'anthropic with a budget': checkMessages,
  'anthropic with structured answers': checkMessages,
  'anthropic, adaptive': checkMessages,
  'gemini 2.5': checkGenerate,
  'gemini 3': checkGenerate,
  'vertex with gemini': checkVertexGenerate,
  'vertex with claude': checkVertexMessages,
  'bedrock with claude': checkConverse,
  'bedrock with structured claude': checkConverse,
  'bedrock with nova': checkConverse,
  'openai, reasoning': checkResponsesRequest,
}

/** What is the caller's own to say rightly, and the vendor's to refuse. */
const callers = new RegExp(
  [
    'signature',
    'max(imum)?[_ ]?(output[_ ]?)?tokens',
    'maximum of 4 blocks',
    // Names within a schema, choices of a tool that is not there, data that is none, a vendor's own field.
    'input_schema',
    'not (among|found|declared)',
    'redacted',
    'thinking.type',
    'topK',
    'stopSequences',
    // A required call of no tool.
    'tool_choice.tools: List',
  ].join('|'),
  'i',
)

/** A conversation that hosted services of the protocol take: it begins and ends with others than the assistant. */
function isWellFormed(input: ChatRequest): boolean {
  const { turns } = readingOfRequest(input)
  let calls = new Set<unknown>()
  const all: unknown[] = []
  for (const { items } of turns) {
    const results = items.flatMap(item => (item.kind === 'result' ? item.of : []))
    if (results.length !== calls.size || results.some(id => !calls.has(id))) return false
    const made = items.flatMap(item => (item.kind === 'call' ? item.id : []))
    all.push(...made)
    calls = new Set(made)
  }
  const unique = new Set(all).size === all.length
  return unique && turns[0]?.role === 'user' && turns.at(-1)?.role === 'user'
}

describe.each(Object.entries(checks))('%s', (name, check) => {
  const { target, ask = (body: Record<string, unknown>) => body } = vendorModels[name]!
  const { provider, model, capabilities = {} } = target

  it('takes what it is sent', async () => {
    let taken = 0
    await fc.assert(
      fc.asyncProperty(requestBody, async body => {
        const input = await validated(ask(body))
        if (input === undefined || !isWellFormed(input)) return
        const request = await Promise.resolve()
          .then(() => provider.encode({ input, model, capabilities, unsupportedParameters: 'drop' }))
          .catch(error => {
            if (!GatewayError.is(error)) throw error
            return undefined
          })
        if (request === undefined || request.url.endsWith('/chat/completions')) return
        let fault: string | undefined
        try {
          check(bodyOf(request), model)
          taken++
        } catch (error) {
          if (!(error instanceof Fault)) throw error
          fault = error.message
        }
        if (fault !== undefined && !callers.test(fault)) expect(fault).toBe('taken')
      }),
      runs(500),
    )
    expect(taken).toBeGreaterThan(runs(500).numRuns / 20)
  })
})
