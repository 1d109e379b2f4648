import type { NetworkInterfaceInfo } from 'node:os'
import { expect, it } from 'vitest'
import { externalAddresses, networkUrls } from './network-urls.ts'

const address = (text: string, internal: boolean, family: 'IPv4' | 'IPv6' = 'IPv4') =>
  ({ address: text, internal, family }) as NetworkInterfaceInfo

it('has the addresses of other interfaces, in IPv4', () => {
  const interfaces = {
    lo: [address('127.0.0.1', true), address('::1', true, 'IPv6')],
    eth0: [address('192.168.1.5', false), address('fe80::1', false, 'IPv6')],
    wlan0: undefined,
  }
  expect(externalAddresses(interfaces)).toEqual(['192.168.1.5'])
})

it.each([
  ['http://0.0.0.0:8787/v1', ['http://10.0.0.2:8787/v1']],
  ['http://[::]:8787/v1', ['http://10.0.0.2:8787/v1']],
  ['http://127.0.0.1:8787/v1', []],
  ['http://localhost:8787/v1', []],
  ['http://[::1]:8787/v1', []],
  ['http://10.0.0.9:8787/v1', ['http://10.0.0.9:8787/v1']],
])('%s is reached by %o', (url, expected) => {
  expect(networkUrls(url, ['10.0.0.2'])).toEqual(expected)
})
