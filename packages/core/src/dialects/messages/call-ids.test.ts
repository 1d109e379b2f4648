import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { messagesRequest } from '../../../test/support/messages-request.ts'
import { givenCallId, writtenCallId } from './call-ids.ts'

describe('the id of a call', () => {
  it('stays as it is where vendors of the protocol take it', () => {
    for (const id of ['toolu_01A-b', 'call_1', 'a'.repeat(2_000)]) {
      expect(writtenCallId(id)).toBe(id)
      expect(givenCallId(id)).toBe(id)
    }
  })

  it('has a form that they take, and comes back', () => {
    expect(writtenCallId('functions.read:0')).toBe('toolu_sluice1_ZnVuY3Rpb25zLnJlYWQ6MA')
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), id => {
        expect(writtenCallId(id)).toMatch(/^[a-zA-Z0-9_-]+$/)
        expect(givenCallId(writtenCallId(id))).toBe(id)
      }),
    )
  })

  it('is not read from a text that nothing wrote', () => {
    for (const text of ['toolu_sluice1_', 'toolu_sluice1_YQ', 'toolu_sluice1_%', 'toolu_sluice1__w', 'x']) {
      expect(givenCallId(text)).toBe(text)
    }
    fc.assert(fc.property(fc.string(), text => void givenCallId(`toolu_sluice1_${text}`)))
  })

  it('is that of the vendor in the next request', () => {
    const id = writtenCallId('functions.read:0')
    const request = messagesRequest({
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: [{ type: 'tool_use', id, name: 'f', input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'b' }] },
      ],
    })
    expect(request.chat().messages).toMatchObject([
      {},
      { tool_calls: [{ id: 'functions.read:0' }] },
      { tool_call_id: 'functions.read:0' },
    ])
    expect(request.native!()!.edits).toEqual([])
  })
})
