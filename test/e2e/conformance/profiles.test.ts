import { local } from '@sluice/providers/local'
import { describe, expect, it } from 'vitest'
import { expectError } from './expect-error.ts'
import { overMounts } from './over-mounts.ts'
import { testGateway } from './test-gateway.ts'

const reasoner = () => ({ reasoner: local()('reasoner', { reasoning: true }) })

describe('schema profile', () => {
  overMounts(
    () => testGateway(reasoner(), { validation: 'schema' }),
    site => {
      it('C64 takes max_tokens 0', async () => {
        expect((await site.chat({ max_tokens: 0 })).status).toBe(200)
        expect((await site.chat({ max_completion_tokens: 0 })).status).toBe(200)
      })

      it('C77 takes a key that it does not know', async () => {
        expect((await site.chat({ top_k: 40 })).status).toBe(200)
      })

      it('C78 takes stream_options without stream', async () => {
        const answer = await site.chat({ stream: false, stream_options: { include_usage: true } })
        expect(answer.status, answer.body).toBe(200)
        expect(answer.json).toMatchObject({ object: 'chat.completion' })
      })

      it('C118 takes max_tokens for a reasoning model', async () => {
        const answer = await site.chat({ model: 'reasoner', max_tokens: 5 })
        expect(answer.status, answer.body).toBe(200)
        expect(answer.json).toMatchObject({ choices: [{ finish_reason: 'length' }] })
      })
    },
  )
})

describe('live profile', () => {
  overMounts(
    () => testGateway(reasoner(), { validation: 'live' }),
    site => {
      it('C64 refuses max_tokens 0', async () => {
        for (const param of ['max_tokens', 'max_completion_tokens']) {
          expectError(await site.chat({ [param]: 0 }), 400, { code: 'integer_below_min_value', param })
        }
      })

      it('C77 takes a key that it does not know', async () => {
        expect((await site.chat({ top_k: 40 })).status).toBe(200)
      })

      it('C78 refuses stream_options without stream', async () => {
        for (const stream of [false, null, undefined]) {
          expectError(await site.chat({ stream, stream_options: { include_usage: true } }), 400, {
            code: null,
            param: 'stream_options',
            message: "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
          })
        }
      })

      it('C118 refuses max_tokens for a reasoning model', async () => {
        expectError(await site.chat({ model: 'reasoner', max_tokens: 5 }), 400, {
          code: 'unsupported_parameter',
          param: 'max_tokens',
          message:
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        })
        expect((await site.chat({ model: 'reasoner', max_completion_tokens: 5 })).status).toBe(200)
      })
    },
  )
})

describe.each(['schema', 'live'] as const)('%s profile, unknown keys rejected', validation => {
  overMounts(
    () => testGateway({}, { validation, unknownParameters: 'reject' }),
    site => {
      it('C77 refuses a key that it does not know', async () => {
        expectError(await site.chat({ top_k: 40 }), 400, {
          code: 'unknown_parameter',
          param: 'top_k',
          message: "Unknown parameter: 'top_k'.",
        })
        expect((await site.chat({ temperature: 1 })).status).toBe(200)
      })
    },
  )
})
