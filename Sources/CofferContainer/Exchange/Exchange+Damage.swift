/// A part of a baseline, or a baseline of one's own, that is listed and cannot be read whole.
///
/// It counts as not there, but for being read again, until it is read whole or put again.
struct DamagedObject: Hashable, Sendable {
    /// What is wrong with it, for people.
    let reason: String
    /// How often it was read since it was found so.
    let tries: Int
    /// When it is read again.
    let next: WallTime
}

extension Exchange {
    /// Whether an object is listed, and was not found damaged.
    func isThere(_ name: ObjectName) -> Bool {
        damaged[name] == nil && round?.objects.contains(name) ?? false
    }

    /// Notes that an object cannot be read whole, if anything relies on its being there.
    mutating func noteDamage(to name: ObjectName, reason: String, at now: WallTime) {
        switch name.identity {
        case .part: break
        case .baseline: if !baselines.contains(where: { $0.name == name }) { return }
        case .log, .marker, .removal, .keys, .model, .data: return
        }
        let tries = damaged[name].map { $0.tries + 1 } ?? 0
        damaged[name] = DamagedObject(reason: reason, tries: tries, next: now + pause(after: tries))
    }

    /// How long it is waited before what could not be read is tried once more.
    func pause(after tries: Int) -> Duration { min(rules.retry * (1 << min(tries, 20)), rules.daily) }

    /// Whether it is time to try again what could not be read.
    ///
    /// A time that is further off than any pause was told by a clock that is set back since.
    func isTime(_ next: WallTime, after tries: Int, at now: WallTime) -> Bool {
        now >= next || now + pause(after: tries) < next
    }

    /// The object that bytes are; notes whether it is what its name says.
    mutating func object(
        named name: ObjectName, in bytes: [UInt8], at now: WallTime
    ) throws(ObjectFault) -> ContainerObject {
        do throws(ObjectFault) {
            let object = try ContainerObject(reading: bytes, named: name)
            damaged[name] = nil
            return object
        } catch {
            noteDamage(to: name, reason: "\(error)", at: now)
            throw error
        }
    }

    /// The next object to read again only to see whether it is whole.
    ///
    /// What was found damaged, and what is there of one's last baseline: once before it is put, then once a
    /// day. Peers that come later need all of it, and its author does not read it else.
    mutating func nextToCheck(at now: WallTime) -> ObjectName? {
        guard let round else { return nil }
        let due = damaged.filter { name, object in
            isTime(object.next, after: object.tries, at: now) && !round.tried.contains(name)
        }
        if let name = due.keys.min(by: { "\($0)" < "\($1)" }) { return name }
        if let name = nextLogToCheck(in: round) { return name }
        guard let baseline = baselines.last, isCheckDue(at: round.time) else { return nil }
        let next = names(of: baseline).first {
            round.objects.contains($0) && !round.verified.contains($0) && !round.tried.contains($0)
        }
        if next == nil { checkedAt = round.time }
        return next
    }

    /// The next log of others that another peer has not told to have, though it told something since: once a
    /// day.
    ///
    /// It may have been damaged after it was read here. If its author has it no longer, as after a return to
    /// a backup, no other peer than those that read it can bring its folds back.
    private mutating func nextLogToCheck(in round: ExchangeRound) -> ObjectName? {
        let start = logsCheckedAt ?? round.time
        logsCheckedAt = start
        guard round.time.isPast(rules.daily, since: start) || round.time < start else { return nil }
        let own = Set(outbox.map(\.name))
        let lacked = known.filter { name, object in
            guard case .log(let writer, _) = name.identity, !own.contains(name), !round.tried.contains(name),
                round.objects.contains(name), case .log(let folds, let last, _) = object.facts
            else { return false }
            return told.contains {
                $0 != writer && $1.time > object.firstSeen.microseconds
                    && !chains.covers(folds, last: last, of: writer, by: $1.vector)
            }
        }
        if let name = lacked.keys.min(by: { "\($0)" < "\($1)" }) { return name }
        logsCheckedAt = round.time
        return nil
    }

    /// Whether what is there of one's last baseline was not read again for a day, as far as is known.
    private func isCheckDue(at time: WallTime) -> Bool {
        checkedAt.map { time.isPast(rules.daily, since: $0) || time < $0 } ?? true
    }
}
