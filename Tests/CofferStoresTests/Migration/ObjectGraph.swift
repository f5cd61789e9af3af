import CofferModel
import CofferSQLite
import CofferStores
import CofferWire
import Foundation
import Testing

/// All objects of a store, as plain values.
struct ObjectGraph: Equatable {
    /// An object: its leaf entity's name, and its key.
    struct ID: Hashable, Comparable, CustomStringConvertible {
        var entity: String
        var key: Int64
        var description: String { "\(entity)/p\(key)" }
        static func < (left: Self, right: Self) -> Bool {
            (left.key, left.entity) < (right.key, right.entity)
        }
    }

    /// What an object has.
    struct Object: Equatable {
        var attributes: [String: AttributeValue] = [:]
        /// The objects of each relationship; by id if it has no order.
        var links: [String: [ID]] = [:]
    }

    var objects: [ID: Object] = [:]

    /// What differs, object by object, for people.
    func differences(from other: ObjectGraph) -> [String] {
        var lines: [String] = []
        for id in Set(objects.keys).union(other.objects.keys).sorted() {
            guard let mine = objects[id], let its = other.objects[id] else {
                lines.append("\(id): \(objects[id] == nil ? "is missing" : "is there")")
                continue
            }
            for name in Set(mine.attributes.keys).union(its.attributes.keys).sorted()
            where mine.attributes[name] != its.attributes[name] {
                lines.append(
                    "\(id).\(name): \(String(describing: mine.attributes[name])), not \(String(describing: its.attributes[name]))"
                )
            }
            for name in Set(mine.links.keys).union(its.links.keys).sorted()
            where mine.links[name] != its.links[name] {
                lines.append("\(id).\(name): \(mine.links[name] ?? []), not \(its.links[name] ?? [])")
            }
        }
        return lines
    }
}

extension ObjectGraph {
    /// Reads a whole store as its readers do.
    init(reading file: StoreFile) throws {
        let connection = try file.makeReader()
        var options = StoreReader.Options()
        options.externalBytes = { name throws(StoreError) in try file.externalBytes(name) }
        let reader = try StoreReader(connection: connection, schema: file.schema, options: options)
        let model = file.model.model
        for entity in model.entities where !entity.isAbstract {
            let statement = try connection.prepare(
                "SELECT Z_PK FROM \(file.schema.entity(at: entity.index).table) "
                    + "WHERE Z_ENT = \(file.schema.entity(at: entity.index).number) ORDER BY Z_PK")
            var keys: [Int64] = []
            while try statement.step() { keys.append(statement.int64(0)) }
            if keys.isEmpty { continue }
            for batch in try reader.rows(
                RowsRequestMessage(store: 1, entity: entity.index, primaryKeys: keys)
            ).batches {
                read(batch, of: entity, in: model)
            }
            for relationship in entity.relationships where relationship.isToMany && !relationship.isTransient
            {
                try read(relationship, of: entity, keys, by: reader, in: model)
            }
        }
        // What has no inverse may lead to an object that was deleted.
        for (id, object) in objects {
            let links = object.links.mapValues { ends in ends.filter { objects[$0] != nil } }
            objects[id]?.links = links
        }
    }

    private mutating func read(
        _ batch: PackedRows, of entity: EntityDescription, in model: ManagedObjectModel
    ) {
        for row in 0..<batch.rowCount {
            var object = Object()
            for (index, property) in entity.properties.enumerated() {
                guard let column = batch.column(of: index, near: index) else { continue }
                switch property {
                case .attribute(let attribute) where attribute.derivationExpression != nil: continue
                case .attribute(let attribute):
                    object.attributes[attribute.name] = batch.value(column, row, type: attribute.type)
                case .relationship(let relationship):
                    object.links[relationship.name] =
                        batch.reference(column, row).map {
                            [ID(entity: model.entities[$0.entity].name, key: $0.key)]
                        } ?? []
                }
            }
            objects[ID(entity: entity.name, key: batch.primaryKey(row))] = object
        }
    }

    private mutating func read(
        _ relationship: RelationshipDescription, of entity: EntityDescription, _ keys: [Int64],
        by reader: StoreReader, in model: ManagedObjectModel
    ) throws {
        let reply = try reader.relationship(
            RelationshipRequestMessage(
                store: 1, entity: entity.index, property: relationship.index, primaryKeys: keys))
        var start = 0
        for (key, end) in zip(keys, reply.ends) {
            let found = (start..<Int(end)).map {
                ID(entity: model.entities[Int(reply.entities[$0])].name, key: reply.primaryKeys[$0])
            }
            objects[ID(entity: entity.name, key: key)]?.links[relationship.name] =
                relationship.isOrdered ? found : found.sorted()
            start = Int(end)
        }
    }
}

extension ObjectGraph {
    /// Copies the objects one by one, as the mapping says: what a migration in place is compared with.
    ///
    /// - Returns: `nil` if some value or object cannot become anything.
    func migrated(by mapping: InferredMapping) -> ObjectGraph? {
        var graph = ObjectGraph()
        var successors: [ID: ID] = [:]
        for entity in mapping.entities {
            guard let origin = entity.origin else { continue }
            let (old, new) = (mapping.source.entities[origin], mapping.destination.entities[entity.entity])
            for (id, object) in objects where id.entity == old.name {
                guard !new.isAbstract, let attributes = Self.attributes(of: object, entity, old, new) else {
                    return nil
                }
                let successor = ID(entity: new.name, key: id.key)
                successors[id] = successor
                graph.objects[successor] = Object(
                    attributes: attributes,
                    links: Dictionary(
                        uniqueKeysWithValues: new.relationships.filter { !$0.isTransient }.map {
                            ($0.name, [])
                        }))
            }
        }
        for entity in mapping.destination.entities {
            for relationship in entity.relationships
            where relationship.declaringEntityIndex == entity.index && !relationship.isTransient {
                let inverse = mapping.destination.inverse(of: relationship)
                // Each pair once, by its to-one end.
                if let inverse {
                    let isFirst =
                        (relationship.declaringEntityIndex, relationship.index)
                        <= (inverse.declaringEntityIndex, inverse.index)
                    if relationship.isToMany != inverse.isToMany ? relationship.isToMany : !isFirst {
                        continue
                    }
                }
                graph.link(relationship, inverse, of: self, by: mapping, successors)
            }
        }
        return graph
    }

    private static func attributes(
        of object: Object, _ entity: EntityMapping, _ old: EntityDescription, _ new: EntityDescription
    ) -> [String: AttributeValue]? {
        var values: [String: AttributeValue] = [:]
        for attribute in new.attributes where !attribute.isTransient && attribute.derivationExpression == nil
        {
            var value = attribute.defaultValue
            if case .attribute(let place, let conversion) = entity.properties[attribute.index] {
                guard
                    let converted = conversion.convert(object.attributes[old.properties[place].name] ?? .null)
                else { return nil }
                let wasOptional = old.properties[place].attribute?.isOptional ?? true
                value = converted.isNull && !attribute.isOptional && wasOptional ? value : converted
            }
            if case .computed(let expression) = entity.properties[attribute.index] {
                let read = expression.origins.map { object.attributes[$0.name] ?? .null }
                guard let computed = expression.value(of: read, now: Date()) else { return nil }
                value = computed.isNull && !attribute.isOptional ? value : computed
            }
            if value.isNull && !attribute.isOptional { return nil }
            values[attribute.name] = value
        }
        return values
    }

    private struct Link: Hashable {
        var from: ID
        var to: ID
        var place: Int
        var inversePlace: Int
    }

    /// The links that a relationship had, by the ids of now: those that it and its end's entity allow.
    private func links(
        of new: RelationshipDescription, by mapping: InferredMapping, _ successors: [ID: ID]
    ) -> [Link] {
        let (source, destination) = (mapping.source, mapping.destination)
        var links: [Link] = []
        for index in destination.entities[new.declaringEntityIndex].familyIndices {
            guard let origin = mapping.entities[index].origin,
                case .relationship(let place, _) = mapping.entities[index].properties[new.index],
                let old = source.entities[origin].properties[place].relationship
            else { continue }
            let inverse = source.inverse(of: old)
            for (id, object) in objects where id.entity == source.entities[origin].name {
                for (place, end) in (object.links[old.name] ?? []).enumerated() {
                    guard let from = successors[id], let to = successors[end],
                        let kind = destination.entity(named: to.entity),
                        kind.isKind(of: destination.destination(of: new))
                    else { continue }
                    let back = inverse.flatMap { inverse in
                        inverse.isOrdered ? objects[end]?.links[inverse.name]?.firstIndex(of: id) : nil
                    }
                    links.append(
                        Link(
                            from: from, to: to, place: old.isOrdered ? place : .max,
                            inversePlace: back ?? .max))
                }
            }
        }
        return links
    }

    private mutating func link(
        _ new: RelationshipDescription, _ inverse: RelationshipDescription?, of old: ObjectGraph,
        by mapping: InferredMapping, _ successors: [ID: ID]
    ) {
        var links = old.links(of: new, by: mapping, successors)
        if links.isEmpty, let inverse {
            links = old.links(of: inverse, by: mapping, successors).map {
                Link(from: $0.to, to: $0.from, place: $0.inversePlace, inversePlace: $0.place)
            }
        }
        let byPlace = { (a: Link, b: Link) in (a.place, a.to.key) < (b.place, b.to.key) }
        let byInverse = { (a: Link, b: Link) in (a.inversePlace, a.from.key) < (b.inversePlace, b.from.key) }
        if new.isToMany, inverse == nil {
            // A member of a set without inverse has one owner.
            links = Dictionary(grouping: links, by: \.to).values.compactMap { $0.min(by: byInverse) }
        }
        if !new.isToMany {
            links = Dictionary(grouping: links, by: \.from).values.compactMap { $0.min(by: byPlace) }
            if let inverse, !inverse.isToMany {
                if inverse.index == new.index, inverse.declaringEntityIndex == new.declaringEntityIndex {
                    let ends = Dictionary(links.map { ($0.from, $0.to) }) { first, _ in first }
                    links = links.filter { ends[$0.to] == $0.from }
                } else {
                    links = Dictionary(grouping: links, by: \.to).values.compactMap { $0.min(by: byInverse) }
                }
            }
        }
        for (from, own) in Dictionary(grouping: links, by: \.from) {
            let ends = own.sorted(by: byPlace).map(\.to)
            objects[from]?.links[new.name] = new.isOrdered ? ends : ends.sorted()
        }
        guard let inverse,
            inverse.index != new.index || inverse.declaringEntityIndex != new.declaringEntityIndex
        else { return }
        for (to, own) in Dictionary(grouping: links, by: \.to) {
            let ends = own.sorted(by: byInverse).map(\.from)
            objects[to]?.links[inverse.name] = inverse.isOrdered ? ends : ends.sorted()
        }
    }
}
