import { createSocket, type Socket } from 'node:dgram'
import { getEventListeners, once } from 'node:events'
import { afterEach, describe, expect, it } from 'vitest'
import { resolveAddresses } from './resolve-addresses.ts'

const open: Socket[] = []
afterEach(() => {
  for (const socket of open.splice(0)) socket.close()
})

interface Zone {
  readonly v4?: readonly string[]
  readonly v6?: readonly string[]
  /** 3: there is no such name. 2: the server failed. */
  readonly code?: number
}

/** A server of names on 127.0.0.1 that knows one zone for all of them; without one it keeps silent. */
async function nameServer(zone?: Zone) {
  const socket = createSocket('udp4')
  open.push(socket)
  const asked: string[] = []
  socket.on('message', (query, { port, address }) => {
    const end = query.indexOf(0, 12) + 5
    const v6 = query.readUInt16BE(end - 4) === 28
    asked.push(v6 ? 'AAAA' : 'A')
    if (zone !== undefined) socket.send(answer(query.subarray(0, end), v6, zone), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return { socket, asked, servers: [`127.0.0.1:${socket.address().port}`] }
}

/** RFC 1035, section 4. */
function answer(query: Buffer, v6: boolean, { v4: four = [], v6: six = [], code = 0 }: Zone): Buffer {
  const records = (v6 ? six : four).map(address => {
    const data = v6
      ? Buffer.from(address.replaceAll(':', ''), 'hex')
      : Buffer.from(address.split('.').map(Number))
    const head = Buffer.from([0xc0, 12, 0, v6 ? 28 : 1, 0, 1, 0, 0, 0, 60, 0, data.length])
    return Buffer.concat([head, data])
  })
  const reply = Buffer.concat([query, ...records])
  reply.writeUInt16BE(0x8180 | code, 2)
  reply.writeUInt16BE(records.length, 6)
  reply.writeUInt16BE(0, 10)
  return reply
}

const signal = new AbortController().signal
const six = '2606:4700:0000:0000:0000:0000:0000:1111'

describe('addressesOf', () => {
  it('gives all addresses of both kinds', async () => {
    const { servers } = await nameServer({ v4: ['1.1.1.1', '10.0.0.1'], v6: [six] })
    const found = await resolveAddresses('images.example.com', signal, servers)
    expect(found.slice(0, 2).sort()).toEqual(['1.1.1.1', '10.0.0.1'])
    expect(found.slice(2)).toEqual(['2606:4700::1111'])
  })

  it('does without one of the kinds', async () => {
    const four = await nameServer({ v4: ['1.1.1.1'] })
    expect(await resolveAddresses('images.example.com', signal, four.servers)).toEqual(['1.1.1.1'])
    const only = await nameServer({ v6: [six] })
    expect(await resolveAddresses('images.example.com', signal, only.servers)).toEqual(['2606:4700::1111'])
  })

  it('asks for the name alone, and not within the domains of this machine', async () => {
    const { servers, asked } = await nameServer({ code: 3 })
    await expect(resolveAddresses('metadata', signal, servers)).rejects.toMatchObject({ code: 'ENOTFOUND' })
    expect(asked.sort()).toEqual(['A', 'AAAA'])
  })

  it('tells when the server fails', async () => {
    const { servers } = await nameServer({ code: 2 })
    await expect(resolveAddresses('images.example.com', signal, servers)).rejects.toMatchObject({
      code: 'ESERVFAIL',
    })
  })

  it('stops at once when it is aborted', async () => {
    const { servers, socket } = await nameServer()
    const leaving = new AbortController()
    const reason = new Error('left')
    const asked = resolveAddresses('images.example.com', leaving.signal, servers)
    socket.once('message', () => leaving.abort(reason))
    await expect(asked).rejects.toBe(reason)
    expect(getEventListeners(leaving.signal, 'abort')).toHaveLength(0)
    await expect(resolveAddresses('images.example.com', leaving.signal, servers)).rejects.toBe(reason)
  })
})
