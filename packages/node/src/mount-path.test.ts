import { ConfigurationError } from '@sluice/core'
import { describe, expect, it } from 'vitest'
import { mountPath } from './mount-path.ts'

const path = (mount: unknown) => mountPath('mount()', mount)

describe('mountPath', () => {
  it.each([
    ['/api/ai', '/api/ai'],
    ['/api/ai/', '/api/ai'],
    ['api/ai', '/api/ai'],
    ['//api/ai//', '/api/ai'],
    ['/', ''],
    ['', ''],
  ])('%o is %o', (mount, normalized) => {
    expect(path(mount)).toBe(normalized)
  })

  it.each([
    ['/t/:tenant'],
    ['/ai/{*path}'],
    ['/ai/*'],
    ['/ai?'],
    ['/ai#top'],
    ['/my ai'],
    ['\\ai'],
    ['https://host/ai'],
    [/ai/],
    [['/ai']],
    [null],
  ])('rejects %s', mount => {
    expect(() => path(mount)).toThrow(ConfigurationError)
    expect(() => path(mount)).toThrow(TypeError)
    expect(() => path(mount)).toThrow(
      /^mount\(\): mount: got .*, expected a path without patterns, such as '\/api\/ai'\./,
    )
  })
})
