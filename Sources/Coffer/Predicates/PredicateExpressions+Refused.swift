import CofferModel
import FoundationEssentials

// What only a program can do. All that Foundation has stands here or in the files beside it.

extension PredicateExpressions.CollectionIndexSubscript: PredicateTermSource {
    func term(in translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
        throw .invalidOperand("CollectionIndexSubscript: an element at a place cannot be asked for")
    }
}

extension PredicateExpressions.CollectionRangeSubscript: PredicateTermSource {
    func term(in translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
        throw .invalidOperand("CollectionRangeSubscript: elements at places cannot be asked for")
    }
}

extension PredicateExpressions.DictionaryKeySubscript: PredicateTermSource {
    func term(in translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
        throw .invalidOperand("DictionaryKeySubscript: look the value up before, and capture it")
    }
}

extension PredicateExpressions.DictionaryKeyDefaultValueSubscript: PredicateTermSource {
    func term(in translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
        throw .invalidOperand("DictionaryKeyDefaultValueSubscript: look the value up before, and capture it")
    }
}

extension PredicateExpressions.SequenceMinimum: PredicateTermSource {
    func term(in translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
        throw .invalidOperand("SequenceMinimum: find the least value before, and capture it")
    }
}

extension PredicateExpressions.SequenceMaximum: PredicateTermSource {
    func term(in translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
        throw .invalidOperand("SequenceMaximum: find the greatest value before, and capture it")
    }
}

extension PredicateExpressions.TypeCheck: PredicateTermSource {
    func term(in translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
        throw .invalidOperand("TypeCheck: fetch objects of the class \(Desired.self) instead")
    }
}

extension PredicateExpressions.ConditionalCast: PredicateTermSource {
    func term(in translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
        throw .invalidOperand("ConditionalCast: fetch objects of the class \(Desired.self) instead")
    }
}

extension PredicateExpressions.ForceCast: PredicateTermSource {
    func term(in translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
        throw .invalidOperand("ForceCast: fetch objects of the class \(Desired.self) instead")
    }
}

extension PredicateExpressions.StringContainsRegex: PredicateTermSource {
    func term(in translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
        throw .invalidOperand("StringContainsRegex: write MATCHES in a QueryPredicate")
    }
}

extension PredicateExpressions.ExpressionEvaluate: PredicateTermSource {
    func term(in translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
        throw .invalidOperand("ExpressionEvaluate: write the expression where it is used")
    }
}
