import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { consoleService } from './console-service.ts'

describe('the built page', () => {
  it('is small, holds nothing that its policy forbids, and asks for its own files by relative addresses', async () => {
    const { fetch } = consoleService()
    const html = await (await fetch('/console/')).text()
    const addresses = [...html.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address]) => address!)
    expect(addresses.every(address => /^\.\/assets\/[\w.-]+\.(?:js|css|svg)$/.test(address))).toBe(true)
    expect(html).not.toMatch(/<style|style=|\son\w+=|<script(?![^>]*src=)/)
    const files = await Promise.all(
      addresses.map(async address => {
        const answer = await fetch(`/console/${address.slice('./'.length)}`)
        expect([address, answer.status]).toEqual([address, 200])
        return { address, text: await answer.text() }
      }),
    )
    const script = files.find(({ address }) => address.endsWith('.js'))!
    expect(gzipSync(script.text).length).toBeLessThan(60_000)
    expect(script.text).not.toMatch(/\beval\(|new Function|https?:\/\/(?!www\.w3\.org)/)
    expect(files.map(({ address }) => address.split('.').at(-1)).sort()).toEqual(['css', 'js', 'svg'])
  })
})
