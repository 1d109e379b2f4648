import { describe, expect, it } from 'vitest'
import * as adapter from './adapter.ts'
import * as root from './index.ts'

describe('@sluice/node', () => {
  it('exports what applications use, and nothing that only adapters need', () => {
    expect(Object.keys(root).sort()).toEqual([
      'ListenError',
      'MalformedRequest',
      'WorkerStartError',
      'imageFetcher',
      'loadShedding',
      'send',
      'serve',
      'toNodeListener',
      'toRequest',
      'workerGroup',
    ])
    expect(Object.keys(adapter).filter(name => name in root)).toEqual([])
  })
})
