import { GatewayError, UpstreamError, type UpstreamFailure } from '@sluice/core'
import { describe, expect, it } from 'vitest'
import { failureType } from './error-type.ts'

const upstream = (kind: string, status?: number) =>
  new UpstreamError('The vendor at llm.example failed.', {
    kind: kind as UpstreamFailure,
    ...(status !== undefined && { status }),
    code: 'vendor-code',
    vendorMessage: 'vendor words',
  })

describe('failureType', () => {
  it.each<[string, unknown, string]>([
    ['a refusal of the upstream', upstream('refused', 429), '429'],
    ['one without a status', upstream('refused'), 'refused'],
    ['one with a status that is none', upstream('refused', 1e9), 'refused'],
    ['an error inside a stream', upstream('truncated', 500), 'truncated'],
    ['a kind that nobody knows', upstream('key sk-1 is wrong'), '_OTHER'],
    ['a refusal of ours', new GatewayError('missing_api_key'), 'missing_api_key'],
    ['a fault', new TypeError('secret'), 'internal_error'],
    ['nothing', undefined, 'internal_error'],
  ])('of %s', (_, error, type) => {
    expect(failureType(error)).toBe(type)
  })
})
