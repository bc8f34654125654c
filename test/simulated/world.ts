import http from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import { Duplex } from 'node:stream';
import timers from 'node:timers/promises';

/** The same numbers for the same seed (mulberry32). */
export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = (seed + 1) * 0x9e3779b1;
  }

  /** From 0 to below 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  is(probability: number): boolean {
    return this.next() < probability;
  }

  /** A whole number of these, both included. */
  among(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  of<T>(values: readonly T[]): T {
    return values[this.among(0, values.length - 1)] as T;
  }
}

interface Due {
  at: number;
  readonly order: number;
  readonly run: () => void;
}

const START = Date.parse('2026-11-21T00:40:00.000Z');
/** What is under way in the system: files and processes are real, and time stands still while they work. */
const BUSY = /FSReq|CloseReq|Process|Worker/;
/** Turns of the event loop in which nothing was under way. Streams and the code's own `setImmediate` take some. */
const CALM_TURNS = 8;
/** Longer than any timer of a seed. */
const REST_MS = 3_600_000;
/** Nothing may take a simulated day. */
const FOREVER_MS = 24 * REST_MS;

/**
 * Time and network of this process, simulated: timers fire one after another, as fast as the machine allows, and connections
 * between `http` servers and clients are wires in memory that are slow, break or fall silent by chance. Files are real.
 * There is one world per process, because it replaces what Node offers to all modules.
 */
export class World {
  chance = new Chance(0);
  /** Of each new wire. Set by the scenario. */
  luck: (chance: Chance) => Partial<WireLuck> = () => ({});
  readonly #servers = new Map<number, net.Server>();
  readonly #wires = new Set<Wire>();
  readonly #down = new Set<number>();
  #due: Due[] = [];
  #order = 0;
  #elapsedMs = 0;
  #nextPort = 40_000;

  get elapsedMs(): number {
    return this.#elapsedMs;
  }

  /** Ports that somebody listens on. */
  get ports(): number[] {
    return [...this.#servers.keys()];
  }

  /** Everything anew, for the next seed. What the last one left under way comes to its end before. */
  async begin(seed: number): Promise<void> {
    for (const wire of this.#wires) wire.destroy();
    this.#servers.clear();
    await this.until(new Promise((end) => this.after(REST_MS, () => end(undefined))));
    this.chance = new Chance(seed);
    this.#down.clear();
    this.#due = [];
    this.#elapsedMs = 0;
    this.#nextPort = 40_000;
  }

  after(ms: number, run: () => void): Due {
    const due = { at: this.#elapsedMs + Math.max(0, ms), order: this.#order++, run };
    this.#due.push(due);
    return due;
  }

  callOff(due: Due): void {
    const at = this.#due.indexOf(due);
    if (at >= 0) this.#due.splice(at, 1);
  }

  /** Lets time pass until the work is over. @throws Error if it waits for what never comes, or longer than this */
  async until<T>(work: Promise<T>, longestMs = FOREVER_MS): Promise<T> {
    let isOver = false;
    const over = () => {
      isOver = true;
    };
    work.then(over, over);
    for (;;) {
      await this.#calm();
      if (isOver) return work;
      const next = this.#due.reduce<Due | undefined>((first, each) => {
        return first === undefined || each.at < first.at || (each.at === first.at && each.order < first.order)
          ? each
          : first;
      }, undefined);
      if (next === undefined) throw new Error('it waits for what never comes');
      if (next.at > longestMs) throw new Error(`it is not over after ${longestMs} ms`);
      this.callOff(next);
      this.#elapsedMs = Math.max(this.#elapsedMs, next.at);
      next.run();
    }
  }

  async #calm(): Promise<void> {
    for (let turns = 0; turns < CALM_TURNS; ) {
      await new Promise((go) => setImmediate(go));
      turns = process.getActiveResourcesInfo().some((name) => BUSY.test(name)) ? 0 : turns + 1;
    }
  }

  /** Who listens on a port is gone, or is there again; open connections break. */
  crash(port: number, forMs: number): void {
    this.#down.add(port);
    for (const wire of this.#wires) if (wire.port === port) wire.break();
    this.after(forMs, () => this.#down.delete(port));
  }

  /** Replaces timers, clocks and connections of this process, once and for good. */
  install(): void {
    this.#installTimers();
    this.#installNetwork();
    Math.random = () => this.chance.next();
    syncBuiltinESMExports();
  }

  #installTimers(): void {
    const timer = (run: () => void, ms: number, isRepeated: boolean) => {
      let due: Due;
      const start = () => {
        due = this.after(ms, () => {
          if (isRepeated) start();
          run();
        });
      };
      start();
      const handle = {
        ref: () => handle,
        unref: () => handle,
        hasRef: () => true,
        refresh: () => {
          this.callOff(due);
          start();
          return handle;
        },
        close: () => this.callOff(due),
        [Symbol.dispose]: () => this.callOff(due),
      };
      return handle;
    };
    const clear = (handle?: { close?: () => void }) => handle?.close?.();
    const globals = globalThis as unknown as Record<string, unknown>;
    globals.setTimeout = (run: (...args: unknown[]) => void, ms = 1, ...args: unknown[]) =>
      timer(() => run(...args), ms, false);
    globals.setInterval = (run: (...args: unknown[]) => void, ms = 1, ...args: unknown[]) =>
      timer(() => run(...args), Math.max(1, ms), true);
    globals.clearTimeout = clear;
    globals.clearInterval = clear;
    timers.setTimeout = ((ms: number, value: undefined, { signal }: { signal?: AbortSignal } = {}) =>
      new Promise<undefined>((resolve, reject) => {
        const fail = () => reject(new DOMException('The operation was aborted', 'AbortError'));
        if (signal?.aborted) return fail();
        const end = () => {
          this.callOff(due);
          fail();
        };
        const due = this.after(ms, () => {
          signal?.removeEventListener('abort', end);
          resolve(value);
        });
        signal?.addEventListener('abort', end, { once: true });
      })) as typeof timers.setTimeout;
    AbortSignal.timeout = (ms) => {
      const controller = new AbortController();
      this.after(ms, () => controller.abort(new DOMException('The operation timed out', 'TimeoutError')));
      return controller.signal;
    };
    performance.now = () => this.#elapsedMs;
    Object.defineProperty(performance, 'timeOrigin', { value: START });
    Date.now = () => START + this.#elapsedMs;
  }

  #installNetwork(): void {
    const world = this;
    const connect = ({ port }: { port: number | string }) => world.#connected(Number(port));
    net.connect = connect as unknown as typeof net.connect;
    net.createConnection = connect as unknown as typeof net.createConnection;
    http.Agent.prototype.createConnection = connect as unknown as typeof http.Agent.prototype.createConnection;
    net.Server.prototype.listen = function listen(this: net.Server, given?: unknown) {
      const port = Number(given) || world.#nextPort++;
      world.#servers.set(port, this);
      const wires = () => [...world.#wires].filter((wire) => wire.server === this);
      const close = this.close;
      this.address = () => ({ address: '127.0.0.1', family: 'IPv4', port });
      this.getConnections = (tell) => {
        process.nextTick(() => tell(null, wires().length));
        return this;
      };
      this.close = (tell) => {
        world.#servers.delete(port);
        return close.call(this, tell);
      };
      (this as http.Server).closeAllConnections = () => wires().forEach((wire) => void wire.destroy());
      this.on('request', (request: http.IncomingMessage) => world.#expire(this as http.Server, request));
      process.nextTick(() => this.emit('listening'));
      return this;
    } as typeof net.Server.prototype.listen;
  }

  /** As Node does: a request that has not arrived by then ends with its connection. */
  #expire({ requestTimeout }: http.Server, request: http.IncomingMessage): void {
    const { socket } = request;
    this.after(requestTimeout, () => {
      if (!request.complete) socket.destroy();
    });
  }

  #connected(port: number): Wire {
    const chance = this.chance;
    const luck: WireLuck = {
      latencyMs: chance.next(),
      breaksAfter: Infinity,
      silentAfter: Infinity,
      ...this.luck(chance),
    };
    const client = new Wire(this, port, luck);
    this.#wires.add(client);
    client.once('close', () => this.#wires.delete(client));
    this.after(luck.latencyMs, () => {
      const server = this.#servers.get(port);
      if (server === undefined || this.#down.has(port)) {
        client.destroy(Object.assign(new Error('connection refused'), { code: 'ECONNREFUSED' }));
        return;
      }
      client.accept(server);
    });
    return client;
  }
}

export interface WireLuck {
  readonly latencyMs: number;
  /** Bytes in both directions after which the connection is reset. */
  readonly breaksAfter: number;
  /** Bytes in both directions after which nothing comes through any more, and nobody is told. */
  readonly silentAfter: number;
}

/** One end of a connection. */
class Wire extends Duplex {
  readonly port: number;
  server: net.Server | undefined;
  connecting = true;
  readonly remoteAddress = '127.0.0.1';
  readonly remotePort = 1;
  readonly localPort = 1;
  readonly #world: World;
  readonly #luck: WireLuck;
  #peer: Wire | undefined;
  #early: (() => void)[] = [];
  #carried = { bytes: 0 };

  constructor(world: World, port: number, luck: WireLuck) {
    super({ allowHalfOpen: true, emitClose: true });
    this.#world = world;
    this.port = port;
    this.#luck = luck;
    // Whoever does not listen must not end the process.
    this.on('error', () => {});
  }

  accept(server: net.Server): void {
    if (this.destroyed) return;
    const other = new Wire(this.#world, this.port, this.#luck);
    other.connecting = false;
    other.#carried = this.#carried;
    [other.#peer, this.#peer] = [this, other];
    this.connecting = false;
    this.server = server;
    this.emit('connect');
    this.emit('ready');
    server.emit('connection', other);
    for (const send of this.#early.splice(0)) send();
  }

  /** Both ends see a reset. */
  break(): void {
    for (const end of [this, this.#peer])
      end?.destroy(Object.assign(new Error('connection reset'), { code: 'ECONNRESET' }));
  }

  override _read(): void {}

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    this.#send((peer) => {
      this.#carried.bytes += chunk.length;
      if (this.#carried.bytes > this.#luck.breaksAfter) this.break();
      else if (this.#carried.bytes <= this.#luck.silentAfter) peer.push(chunk);
    }, done);
  }

  override _final(done: () => void): void {
    this.#send((peer) => {
      if (this.#carried.bytes <= this.#luck.silentAfter) peer.#closed();
    }, done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    const peer = this.#peer;
    this.#peer = undefined;
    if (peer !== undefined) this.#world.after(this.#luck.latencyMs, () => peer.#closed());
    done(error);
  }

  #closed(): void {
    if (!this.destroyed && !this.readableEnded && this.#carried.bytes <= this.#luck.silentAfter) this.push(null);
  }

  /** One after another, because all take equally long. */
  #send(carry: (peer: Wire) => void, done: () => void): void {
    const send = () => {
      const peer = this.#peer;
      this.#world.after(this.#luck.latencyMs, () => {
        if (peer !== undefined && !peer.destroyed) carry(peer);
      });
      done();
    };
    if (this.connecting) this.#early.push(send);
    else send();
  }

  destroySoon(): void {
    if (this.writableFinished) this.destroy();
    else this.end(() => this.destroy());
  }

  setTimeout(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }
}
