import { Validator } from '@seriousme/openapi-schema-validator'
import { openApiDocument } from '@sluice/core/openapi'
import { describe, expect, it } from 'vitest'
import { tableUnder } from '../../docs/runner/markdown.ts'
import { operations, validatorsOf } from './description.ts'

const document = openApiDocument()

describe('the document', () => {
  it.each([
    {},
    { validation: 'live', unknownParameters: 'reject', basePath: '/ai/v1', server: 'https://ai.example.com' },
  ] as const)('is OpenAPI 3.1, of a gateway with %j', async options => {
    const validator = new Validator()
    const made = JSON.parse(JSON.stringify(openApiDocument(options)))
    const { valid, errors } = await validator.validate(made)
    expect(errors).toBeUndefined()
    expect([valid, validator.version]).toEqual([true, '3.1'])
  })

  it('refers to what it has, and has nothing that is not referred to', () => {
    const text = JSON.stringify(document)
    const targets = new Set(Array.from(text.matchAll(/"#\/components\/(\w+\/[\w-]+)"/g), ([, path]) => path!))
    const { schemas, headers } = document.components
    const parts = [
      ...Object.keys(schemas).map(name => `schemas/${name}`),
      ...Object.keys(headers).map(name => `headers/${name}`),
    ]
    expect([...targets].sort()).toEqual(parts.sort())
  })

  it('describes every status of the page of errors, but those that nobody is answered with there', () => {
    const rows = tableUnder('docs/errors.md', '## Error codes')
    const elsewhere = [
      'method_not_supported',
      'websocket_not_supported',
      'response_not_found',
      'client_disconnected',
    ]
    const told = rows
      .filter(row => !elsewhere.some(name => row.join(' ').includes(`\`${name}\``)))
      .map(([status]) => status)
    const described = Object.keys(operations['POST /v1/chat/completions']!.responses)
    expect(new Set(described)).toEqual(new Set(['200', ...told, 'default']))
  })

  it('has examples that are what it says', () => {
    const validatorOf = validatorsOf(document)
    for (const { responses } of Object.values(operations)) {
      for (const { content = {} } of Object.values(responses)) {
        for (const { schema, examples = {} } of Object.values(content)) {
          for (const { value } of Object.values(examples)) expect(validatorOf(schema)(value)).toBe(true)
        }
      }
    }
  })

  it('says what becomes of parameters that the protocol does not name', () => {
    const open = (unknownParameters: 'pass' | 'reject') =>
      openApiDocument({ unknownParameters }).components.schemas.ChatCompletionRequest?.additionalProperties
    expect([open('pass'), open('reject')]).toEqual([true, false])
  })
})
