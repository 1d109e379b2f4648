import { describe, expect, it } from 'vitest'
import { ollamaOrigin } from './ollama-origin.ts'

describe('ollamaOrigin', () => {
  it.each([
    ['', 'http://127.0.0.1:11434'],
    ['127.0.0.1', 'http://127.0.0.1:11434'],
    ['localhost:4000', 'http://localhost:4000'],
    [':4000', 'http://127.0.0.1:4000'],
    ['0.0.0.0', 'http://127.0.0.1:11434'],
    ['0.0.0.0:80', 'http://127.0.0.1:80'],
    ['[::]:4000', 'http://[::1]:4000'],
    ['::1', 'http://[::1]:11434'],
    ['http://127.0.0.1', 'http://127.0.0.1:80'],
    ['HTTP://127.0.0.1:4000/', 'http://127.0.0.1:4000'],
    [' 127.1.2.3 ', 'http://127.1.2.3:11434'],
  ])('reads %j as %s', (text, origin) => {
    expect(ollamaOrigin(text)).toEqual({ origin })
  })

  it.each([
    ['gpu.example', 'another machine'],
    ['http://10.0.0.7:11434', 'another machine'],
    ['127.0.0.1.example.com', 'another machine'],
    ['http://localhost.example', 'another machine'],
    ['127.0.0.1@gpu.example', 'a host and a port only'],
    ['https://127.0.0.1', 'not an http URL'],
    ['http://127.0.0.1/ollama', 'a host and a port only'],
    ['127.0.0.1?x', 'a host and a port only'],
    ['a b', 'not a valid address'],
    ['127.0.0.1:99999', 'not a valid address'],
  ])('asks nobody at %j', (text, fault) => {
    expect(ollamaOrigin(text)).toEqual({ fault: expect.stringContaining(fault) })
  })
})
