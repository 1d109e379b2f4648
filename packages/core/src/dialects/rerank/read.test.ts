import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { GatewayError } from '../../errors/errors.ts'
import type { JsonObject } from '../../protocol/chat.ts'
import { rerankDialect } from './dialect.ts'

function draftOf(body: object) {
  const { name, operation, outline } = rerankDialect
  const given = body as JsonObject
  return { dialect: name, operation, model: 'm', body: given, bytes: 9, outline: outline(given, 9) }
}

const read = (body: object) =>
  rerankDialect.read(draftOf(body), { profile: 'schema', unknownParameters: 'pass' })

describe('a request to rank documents', () => {
  it('is read, with fields of vendors', () => {
    const body = { query: 'q', documents: ['a', { text: 'b', id: 1 }], top_n: 1, x: [1], none: null }
    expect(read(body)).toMatchObject({
      query: 'q',
      documents: ['a', 'b'],
      topN: 1,
      inputs: ['q', 'a', 'q', 'b'],
      extra: { x: [1] },
    })
  })

  it('counts its query with each document, and long documents as several', () => {
    const outline = (query: string, documents: unknown[]) => draftOf({ query, documents }).outline
    expect(outline('x'.repeat(300), ['a', 'b']).promptTokens).toBe(202)
    expect(outline('q', Array(100).fill('a')).searchUnits).toBe(1)
    expect(outline('q', Array(101).fill('a')).searchUnits).toBe(2)
    expect(outline('q', Array(100).fill('x'.repeat(1_600))).searchUnits).toBe(2)
    expect(outline('q', []).searchUnits).toBe(1)
  })

  it('is refused with a GatewayError, or read, whatever it is', () => {
    const names = fc.constantFrom('query', 'documents', 'top_n', 'return_documents', '__proto__', 'x')
    const text = fc.record({ query: fc.string(), documents: fc.array(fc.oneof(fc.string(), fc.jsonValue())) })
    fc.assert(
      fc.property(fc.oneof(fc.dictionary(names, fc.jsonValue()), text), body => {
        const { outline } = draftOf(body)
        expect(outline.promptTokens).toBeGreaterThanOrEqual(0)
        expect(outline.searchUnits).toBeGreaterThanOrEqual(1)
        try {
          const { documents, inputs } = read(body)
          expect(inputs).toHaveLength(documents.length * 2)
          expect(documents.every(each => typeof each === 'string')).toBe(true)
        } catch (error) {
          if (!GatewayError.is(error)) throw error
          expect(error.status).toBe(400)
        }
      }),
      { numRuns: 300 },
    )
  })
})
