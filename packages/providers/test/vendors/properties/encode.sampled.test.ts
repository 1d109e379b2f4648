import { GatewayError } from '@sluice/core'
import type { Adjustment, Call, ChatRequest, EncodedRequest } from '@sluice/core/provider'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { losses } from './losses.ts'
import { readers } from './read-vendors.ts'
import { readingOfRequest } from './reading-of-request.ts'
import { requestBody } from './request-arbitrary.ts'
import { runs } from './runs.ts'
import { silent } from './silent.ts'
import { silentMembers } from './silent-members.ts'
import { validated } from './validated.ts'
import { vendorModels } from './vendors.ts'

describe.each(Object.entries(vendorModels))('%s', (_, { target, wire, ask = body => body }) => {
  const { provider, model, capabilities = {} } = target

  describe.each(['refuse', 'drop'] as const)('%s', mode => {
    /** The vendor's request, or the refusal; whatever else is thrown is a fault. */
    const encoded = async (input: ChatRequest): Promise<EncodedRequest | GatewayError> => {
      const call: Call = { input, model, capabilities, unsupportedParameters: mode }
      try {
        return await provider.encode(call)
      } catch (error) {
        if (!GatewayError.is(error)) throw error
        expect(error.status).toBe(400)
        expect(error.param, error.message).toEqual(expect.stringMatching(/./))
        return error
      }
    }

    it('says all of it, or refuses by name', async () => {
      let asked = 0
      let said = 0
      await fc.assert(
        fc.asyncProperty(requestBody, async body => {
          const input = await validated(ask(body))
          if (input === undefined || isAmbiguous(input)) return
          asked++
          const before = JSON.stringify(input)
          const first = await encoded(input)
          expect(JSON.stringify(input)).toBe(before)
          const second = await encoded(input)
          if (GatewayError.is(first)) {
            expect(second).toMatchObject({ message: first.message, param: first.param })
            return
          }
          said++
          expect(second).toEqual(first)
          const wanted = readingOfRequest(withMappedArguments(input, first.adjustments))
          expect(losses(wanted, readers[wire](first), input, first.adjustments)).toEqual([])
          expect(await silent(input, first, encoded)).toEqual([])
          expect(await silentMembers(input, first, encoded)).toEqual([])
        }),
        runs(300),
      )
      // Or nothing was shown.
      expect(asked).toBeGreaterThan(runs(300).numRuns / 2)
      expect(said).toBeGreaterThan(asked / 8)
    })
  })
})

/** The request with the arguments that the provider reports to have sent. */
function withMappedArguments(input: ChatRequest, adjustments: readonly Adjustment[] = []): ChatRequest {
  const details = new Map(adjustments.map(({ parameter, detail }) => [parameter, detail]))
  const messages = input.messages.map((message, index) => {
    if (message.role !== 'assistant' || message.tool_calls === undefined) return message
    const calls = message.tool_calls.map((call, at) => {
      const detail = details.get(`messages[${index}].tool_calls[${at}].function.arguments`)
      if (call.type !== 'function' || detail === undefined) return call
      const text = detail.startsWith('no arguments')
        ? '{}'
        : call.function.arguments.replace(halves, replaced)
      return { ...call, function: { ...call.function, arguments: text } }
    })
    return { ...message, tool_calls: calls }
  })
  return { ...input, messages }
}

/** Halves of surrogate pairs as `JSON.stringify` writes them: it writes pairs as they are. */
const halves = /\\(?:(ud[89a-f][0-9a-f]{2})|.)/gis
const replaced = (all: string, half?: string) => (half === undefined ? all : '\\ufffd')

/** Whether a message calls with the id of an earlier call that has no result: which of them a result answers is not said. */
function isAmbiguous({ messages }: ChatRequest): boolean {
  const open = new Set<string>()
  for (const message of messages) {
    if (message.role === 'tool') open.delete(message.tool_call_id)
    if (message.role !== 'assistant') continue
    const ids = message.tool_calls?.map(({ id }) => id) ?? []
    if (ids.some(id => open.has(id))) return true
    for (const id of ids) open.add(id)
  }
  return false
}
