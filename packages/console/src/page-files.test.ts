import { describe, expect, it } from 'vitest'
import { pageFile } from './page-files.ts'

const page = {
  'index.html': { type: 'text/html; charset=utf-8', body: '<!doctype html>' },
  'assets/index-B4a1.js': { type: 'text/javascript; charset=utf-8', body: 'let a' },
  'icon.svg': { type: 'image/svg+xml', body: new TextEncoder().encode('<svg/>') },
}

describe('pageFile', () => {
  it.each([
    ['', 'text/html; charset=utf-8', 'no-store'],
    ['index.html', 'text/html; charset=utf-8', 'no-store'],
    ['assets/index-B4a1.js', 'text/javascript; charset=utf-8', 'public, max-age=31536000, immutable'],
    ['icon.svg', 'image/svg+xml', 'no-cache'],
  ])('gives %s its type and its life', (path, type, life) => {
    const { headers } = pageFile(page, path, 'GET')
    expect([headers.get('content-type'), headers.get('cache-control')]).toEqual([type, life])
  })

  it('gives text and bytes as they are', async () => {
    expect(await pageFile(page, 'assets/index-B4a1.js', 'GET').text()).toBe('let a')
    expect(await pageFile(page, 'icon.svg', 'GET').text()).toBe('<svg/>')
  })
})
