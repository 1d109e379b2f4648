import { duplexPair } from 'node:stream'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Channel, type ChannelHandler, UnreadableMessageError } from './channel.ts'

function connected(handle: ChannelHandler = () => undefined) {
  const [one, other] = duplexPair()
  const channel = new Channel(one, handle)
  onTestFinished(() => channel.close())
  return { channel, other }
}

describe('Channel', () => {
  it.each([
    '',
    'no JSON',
    '{}',
    'null',
    '7',
    '[1]',
    '[null]',
    '[[]]',
    '[["1","name"]]',
    '[[1.5,"name"]]',
    '[[1e999,"name"]]',
    '[[1]]',
    '[[1,["name"]]]',
    '[[0,"fine"],[0,null]]',
  ])('ends the connection after the line %j', async line => {
    const { channel, other } = connected()
    const call = channel.call('name')
    other.write(`${line}\n[[-1,"an answer"]]\n`)
    await expect(call).rejects.toThrow('The other process has ended.')
    await channel.closed
    expect(channel.isUnreadable).toBe(true)
    await expect(channel.call('name')).rejects.toThrow('The other process has ended.')
    expect(() => channel.post('name')).toThrow('The other process has ended.')
    channel.notify('name')
  })

  it('ends the connection if the handler cannot read a message, and handles nothing after it', async () => {
    const handled: string[] = []
    const { channel, other } = connected(name => {
      handled.push(name)
      if (name === 'bad') throw new UnreadableMessageError('bad')
      throw new Error('an error is an answer')
    })
    other.write(`${JSON.stringify(['a', 'bad', 'b'].map((name, at) => [at + 1, name]))}\n[[9,"c"]]\n`)
    await channel.closed
    expect(channel.isUnreadable).toBe(true)
    expect(handled).toEqual(['a', 'bad'])
  })

  it('ignores answers to calls that it did not make', async () => {
    const { channel, other } = connected()
    const call = channel.call('name')
    other.write('[[-7,"none"],[-1,"first"],[-1,"second"]]\n')
    expect(await call).toBe('first')
    expect(channel.isUnreadable).toBe(false)
  })

  it('sends what is added to a message until its line is written', async () => {
    const [one, other] = duplexPair()
    const received: unknown[] = []
    const primary = new Channel(other, (name, args) => {
      received.push([name, args])
      return 'answer'
    })
    const channel = new Channel(one, () => undefined)
    onTestFinished(() => {
      channel.close()
      primary.close()
    })
    const values = [1]
    const message = channel.post('name', values)
    const { lines } = channel
    values.push(2)
    const answer = channel.expectAnswer(message)
    values.push(3)
    expect(channel.lines).toBe(lines)
    expect(await answer).toBe('answer')
    expect(channel.lines).toBe(lines + 1)
    expect(received).toEqual([['name', [[1, 2, 3]]]])
  })
})
