import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isPublicAddress } from './public-address.ts'

// The ranges once more, written and read in another way than the code's: from the first to the last address.

const closedIPv4: readonly (readonly [string, string])[] = [
  ['0.0.0.0', '0.255.255.255'],
  ['10.0.0.0', '10.255.255.255'],
  ['100.64.0.0', '100.127.255.255'],
  ['127.0.0.0', '127.255.255.255'],
  ['168.63.129.16', '168.63.129.16'],
  ['169.254.0.0', '169.254.255.255'],
  ['172.16.0.0', '172.31.255.255'],
  ['192.0.0.0', '192.0.0.255'],
  ['192.0.2.0', '192.0.2.255'],
  ['192.88.99.0', '192.88.99.255'],
  ['192.168.0.0', '192.168.255.255'],
  ['198.18.0.0', '198.19.255.255'],
  ['198.51.100.0', '198.51.100.255'],
  ['203.0.113.0', '203.0.113.255'],
  ['224.0.0.0', '255.255.255.255'],
]

/** By their first 32 bits: all that are closed end within them. */
const closedIPv6: readonly (readonly [number, number])[] = [
  [0x00000000, 0x1fffffff],
  [0x20010000, 0x200101ff],
  [0x20010db8, 0x20010db8],
  [0x20020000, 0x2002ffff],
  [0x3fff0000, 0x3fff0fff],
  [0x40000000, 0xffffffff],
]

const numberOf = (text: string) => text.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
const dotted = (value: number) => [24, 16, 8, 0].map(by => (value >>> by) & 255).join('.')
const within = (ranges: readonly (readonly [number, number])[], value: number) =>
  ranges.some(([first, last]) => value >= first && value <= last)
const rangesIPv4 = closedIPv4.map(([first, last]) => [numberOf(first), numberOf(last)] as const)

/** Any 32 bits, and more often those at the edge of a range. */
const bits = (ranges: readonly (readonly [number, number])[]) =>
  fc.oneof(
    fc.nat(0xffffffff),
    fc
      .tuple(fc.constantFrom(...ranges.flat()), fc.integer({ min: -2, max: 2 }))
      .map(([edge, by]) => Math.min(0xffffffff, Math.max(0, edge + by))),
    fc.constantFrom(...ranges).chain(([first, last]) => fc.integer({ min: first, max: last })),
  )

const hex = (value: number) => value.toString(16)

describe('isPublicAddress', () => {
  it('knows every range of IPv4', () => {
    fc.assert(
      fc.property(bits(rangesIPv4), value => {
        expect(isPublicAddress(dotted(value)), dotted(value)).toBe(!within(rangesIPv4, value))
      }),
      { numRuns: 5_000 },
    )
  })

  it('knows every range of IPv6, however it is written', () => {
    const rest = fc.array(fc.oneof(fc.constant(0), fc.nat(0xffff)), { minLength: 6, maxLength: 6 })
    fc.assert(
      fc.property(bits(closedIPv6), rest, (first, others) => {
        const groups = [first >>> 16, first & 0xffff, ...others].map(hex)
        const long = groups.map(group => group.padStart(4, '0')).join(':')
        const short = new URL(`https://[${long}]`).hostname.slice(1, -1)
        const tail = dotted(((others[4] ?? 0) * 0x10000 + (others[5] ?? 0)) >>> 0)
        const mixed = `${groups.slice(0, 6).join(':')}:${tail}`
        for (const text of [long, long.toUpperCase(), groups.join(':'), short, mixed]) {
          expect(isPublicAddress(text), text).toBe(!within(closedIPv6, first))
        }
      }),
      { numRuns: 5_000 },
    )
  })

  it('takes no IPv4 address in the clothes of IPv6', () => {
    fc.assert(
      fc.property(fc.nat(0xffffffff), value => {
        const [high, low] = [hex(value >>> 16), hex(value & 0xffff)]
        for (const text of [
          `::ffff:${dotted(value)}`,
          `::ffff:${high}:${low}`,
          `::${dotted(value)}`,
          `::ffff:0:${high}:${low}`,
          `64:ff9b::${high}:${low}`,
          `64:ff9b:1::${high}:${low}`,
          `2002:${high}:${low}::1`,
          `2001:0:${high}:${low}::1`,
        ]) {
          expect(isPublicAddress(text), text).toBe(false)
        }
      }),
    )
  })

  it.each(['1.1.1.1', '8.8.8.8', '151.101.1.69', '172.15.255.255', '192.0.1.1', '223.255.255.255'])(
    'takes %s',
    address => {
      expect(isPublicAddress(address)).toBe(true)
    },
  )

  it.each(['2606:4700::1111', '2001:4860:4860::8888', '2a00:1450:4001:81b::200e', '2001:200::1'])(
    'takes %s',
    address => {
      expect(isPublicAddress(address)).toBe(true)
    },
  )

  it.each([
    ...[
      '',
      ' ',
      'localhost',
      'example.com',
      '1.1.1',
      '1.1.1.1.',
      '01.1.1.1',
      '0x1.1.1.1',
      '16843009',
      '1.1.1.1:443',
    ],
    ...['[2606:4700::1111]', '2606:4700::1111%eth0', '2606:4700', '2606:4700::1111/64'],
  ])('takes no "%s", which is no address', text => {
    expect(isPublicAddress(text)).toBe(false)
  })
})
