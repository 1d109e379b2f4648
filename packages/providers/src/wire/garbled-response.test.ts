import { describe, expect, it } from 'vitest'
import { scriptedResponse } from '../../test/scripted-response.ts'
import { checkResponseHead } from './garbled-response.ts'

describe('checkResponseHead', () => {
  it.each([
    [204, 'application/json', /empty body/],
    [205, 'application/json', /empty body/],
    [206, 'text/event-stream', /part of a body/],
    [200, 'Text/HTML; charset=utf-8', /web page/],
    [201, 'application/xhtml+xml, text/html', /web page/],
  ])('refuses %d of %s', (status, type, words) => {
    const response = scriptedResponse({ status, headers: { 'content-type': type } })
    expect(() => checkResponseHead(response)).toThrow(words)
    expect(() => checkResponseHead(response)).toThrow(expect.objectContaining({ kind: 'garbled' }))
  })

  it.each([
    [200, { 'content-type': 'application/json' }],
    [200, {}],
    [201, { 'content-type': 'text/plain' }],
    [200, { 'content-type': 'application/octet-stream' }],
  ])('takes %d of %j: what the body is, its bytes tell', (status, headers) => {
    checkResponseHead(scriptedResponse({ status, headers: { ...headers } }))
  })
})
