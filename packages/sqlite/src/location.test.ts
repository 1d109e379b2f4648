import { describe, expect, it } from 'vitest'
import { parseLocation } from './location.ts'

describe('parseLocation', () => {
  it.each([
    ['file:./sluice.db', './sluice.db'],
    ['file:sluice.db', 'sluice.db'],
    ['file:/var/lib/sluice.db', '/var/lib/sluice.db'],
    ['file:///var/lib/sluice.db', '/var/lib/sluice.db'],
    ['file://localhost/var/lib/sluice.db', '/var/lib/sluice.db'],
    ['FILE:a%20b.db', 'a b.db'],
    [':memory:', undefined],
  ])('takes %s', (url, path) => {
    expect(parseLocation('x', url)).toEqual({ url, path })
  })

  it.each([
    [undefined, 'of type undefined'],
    [null, 'null'],
    [7, 'of type number'],
    ['./sluice.db', 'without a scheme'],
    ['C:\\sluice.db', 'without a scheme'],
    ['', 'without a scheme'],
    ['libsql://secret-host.turso.io?authToken=hush', 'begins with "libsql:"'],
    ['https://user:hush@secret-host', 'begins with "https:"'],
    ['file:', 'no path on this machine'],
    ['file://secret-host/x.db', 'no path on this machine'],
    ['file:x.db?mode=ro', 'no path on this machine'],
    ['file:x.db#hush', 'no path on this machine'],
    ['file::memory:', 'no path on this machine'],
  ])('refuses %s', (url, says) => {
    let error: unknown
    try {
      parseLocation('openSqlite()', url)
    } catch (thrown) {
      error = thrown
    }
    expect(error).toBeInstanceOf(TypeError)
    const { message } = error as Error
    expect(message).toContain(says)
    expect(message).toContain('expected "file:" and a path')
    expect(message).not.toMatch(/hush|secret-host/)
  })
})
