import { expect } from 'chai';
import type supertest from 'supertest';
import { type WireHistory, type WireSong, type WireStream, json } from './wire.js';

/** What listeners see of a stream. */
export interface Shown {
  readonly song: WireSong;
  /** `Artist - Title, time`, newest first. */
  readonly history: readonly string[];
}

/** Asks for the listing and the history of a stream, which must agree. */
export async function shownOn(http: ReturnType<typeof supertest>, stream: number): Promise<Shown> {
  const streams = json<WireStream[]>(await http.get('/stream').expect(200));
  const song = streams.find(({ id }) => id === stream)?.song ?? expect.fail('The stream is not listed.');
  const { current, next, history } = json<WireHistory>(
    await http.get(`/stream/${stream}/history`).expect(200),
  );
  expect({ title: current.title, artist: current.artist, next }).to.deep.equal({
    title: song.title,
    artist: song.artist,
    next: song.next,
  });
  return {
    song,
    history: history.map(({ title, artist, playedAt }) => `${artist} - ${title}, ${playedAt}`),
  };
}
